/* SPDX-License-Identifier: MIT */
/* Computes and applies the rules that restore the registers of a caller. */
#include "shared/unwind_rules.h"

#include <string.h>

#define MAX_SAVED_ROWS 8
#define EXPRESSION_DEPTH 16

/* Instructions of the programs (DWARF 5, section 6.4.2); the first three contain an operand in their low bits. */
enum {
	CFA_ADVANCE = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_NOP = 0x00,
	CFA_ADVANCE1 = 0x02,
	CFA_ADVANCE2 = 0x03,
	CFA_ADVANCE4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF = 0x0c,
	CFA_DEF_REGISTER = 0x0d,
	CFA_DEF_OFFSET = 0x0e,
	CFA_DEF_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_SF = 0x12,
	CFA_DEF_OFFSET_SF = 0x13,
	CFA_VALUE_OFFSET = 0x14,
	CFA_VALUE_OFFSET_SF = 0x15,
	CFA_VALUE_EXPRESSION = 0x16,
	CFA_ARGUMENT_SIZE = 0x2e
};

/* Operations of expressions (DWARF 5, section 2.5): those in the tables of compilers and of the C library. */
enum {
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S = 0x09,
	OP_CONST2U = 0x0a,
	OP_CONST2S = 0x0b,
	OP_AND = 0x1a,
	OP_MINUS = 0x1c,
	OP_PLUS = 0x22,
	OP_PLUS_CONST = 0x23,
	OP_SHL = 0x24,
	OP_GE = 0x2a,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f
};

/* State of the execution of a program. */
typedef struct rule_program {
	const unwind_entry *entry;
	unwind_row *row;
	const unwind_row *initial; /* Rules at the start of the function; NULL while these are computed. */
	unwind_row saved[MAX_SAVED_ROWS];
	unsigned saved_count;
	uintptr_t address; /* The address to which the rules apply now. */
	int is_valid;
} rule_program;

static void set_rule(rule_program *program, uint64_t number, unwind_rule_kind kind, int64_t value)
{
	/* Registers that hold no addresses (vectors) are not followed. */
	if (number < REGISTER_COUNT)
		program->row->rules[number] = (unwind_rule){kind, value, {NULL, NULL}};
}

static unwind_cursor read_expression(unwind_cursor *cursor)
{
	uint64_t length = unwind_read_uleb(cursor);
	unwind_cursor expression = {cursor->at, NULL};

	if (cursor->at == NULL || length > (uint64_t)(cursor->end - cursor->at)) {
		cursor->at = NULL;
		return (unwind_cursor){NULL, NULL};
	}
	cursor->at += length;
	expression.end = cursor->at;
	return expression;
}

static void set_expression(rule_program *program, uint64_t number, unwind_rule_kind kind, unwind_cursor expression)
{
	if (number < REGISTER_COUNT)
		program->row->rules[number] = (unwind_rule){kind, 0, expression};
}

static void restore_rule(rule_program *program, uint64_t number)
{
	if (program->initial == NULL)
		program->is_valid = 0;
	else if (number < REGISTER_COUNT)
		program->row->rules[number] = program->initial->rules[number];
}

static void define_base(rule_program *program, uint64_t number, int64_t offset)
{
	if (number >= REGISTER_COUNT)
		program->is_valid = 0;
	program->row->base = (unwind_rule){UNWIND_IN_REGISTER, offset, {NULL, NULL}};
	program->row->base_register = (unsigned)number;
}

/* Instructions that define the base of the frame. Returns 0 for others. */
static int execute_base(rule_program *program, unwind_cursor *cursor, unsigned code)
{
	const int64_t unit = program->entry->data_unit;
	unwind_row *row = program->row;
	uint64_t number;

	switch (code) {
	case CFA_DEF:
		number = unwind_read_uleb(cursor);
		define_base(program, number, (int64_t)unwind_read_uleb(cursor));
		return 1;
	case CFA_DEF_SF:
		number = unwind_read_uleb(cursor);
		define_base(program, number, unwind_read_sleb(cursor) * unit);
		return 1;
	case CFA_DEF_REGISTER:
		define_base(program, unwind_read_uleb(cursor), row->base.value);
		return 1;
	case CFA_DEF_OFFSET:
		row->base.value = (int64_t)unwind_read_uleb(cursor);
		return 1;
	case CFA_DEF_OFFSET_SF:
		row->base.value = unwind_read_sleb(cursor) * unit;
		return 1;
	case CFA_DEF_EXPRESSION:
		row->base = (unwind_rule){UNWIND_IS_EXPRESSION, 0, read_expression(cursor)};
		return 1;
	default:
		return 0;
	}
}

/* Instructions that set the rule of one register. Returns 0 for others. */
static int execute_rule(rule_program *program, unwind_cursor *cursor, unsigned code)
{
	const int64_t unit = program->entry->data_unit;
	uint64_t number;

	if (code < CFA_OFFSET_EXTENDED || code == CFA_REMEMBER || code == CFA_RESTORE_STATE ||
	    code > CFA_VALUE_EXPRESSION)
		return 0;
	number = unwind_read_uleb(cursor);
	switch (code) {
	case CFA_OFFSET_EXTENDED:
		set_rule(program, number, UNWIND_AT, (int64_t)unwind_read_uleb(cursor) * unit);
		return 1;
	case CFA_OFFSET_EXTENDED_SF:
		set_rule(program, number, UNWIND_AT, unwind_read_sleb(cursor) * unit);
		return 1;
	case CFA_VALUE_OFFSET:
		set_rule(program, number, UNWIND_IS, (int64_t)unwind_read_uleb(cursor) * unit);
		return 1;
	case CFA_VALUE_OFFSET_SF:
		set_rule(program, number, UNWIND_IS, unwind_read_sleb(cursor) * unit);
		return 1;
	case CFA_REGISTER:
		set_rule(program, number, UNWIND_IN_REGISTER, (int64_t)unwind_read_uleb(cursor));
		return 1;
	case CFA_RESTORE_EXTENDED:
		restore_rule(program, number);
		return 1;
	case CFA_UNDEFINED:
	case CFA_SAME_VALUE:
		set_rule(program, number, code == CFA_UNDEFINED ? UNWIND_UNDEFINED : UNWIND_SAME, 0);
		return 1;
	case CFA_EXPRESSION:
		set_expression(program, number, UNWIND_AT_EXPRESSION, read_expression(cursor));
		return 1;
	case CFA_VALUE_EXPRESSION:
		set_expression(program, number, UNWIND_IS_EXPRESSION, read_expression(cursor));
		return 1;
	default:
		return 0;
	}
}

static void save_row(rule_program *program)
{
	if (program->saved_count == MAX_SAVED_ROWS)
		program->is_valid = 0;
	else
		program->saved[program->saved_count++] = *program->row;
}

static void restore_row(rule_program *program)
{
	if (program->saved_count == 0)
		program->is_valid = 0;
	else
		*program->row = program->saved[--program->saved_count];
}

/* Instructions with an opcode of their own. */
static void execute_extended(rule_program *program, unwind_cursor *cursor, unsigned code)
{
	const uint64_t unit = program->entry->code_unit;

	if (execute_base(program, cursor, code) || execute_rule(program, cursor, code))
		return;
	switch (code) {
	case CFA_NOP:
		break;
	case CFA_ADVANCE1:
		program->address += unwind_read_byte(cursor) * unit;
		break;
	case CFA_ADVANCE2:
		program->address += unwind_read_number(cursor, 2) * unit;
		break;
	case CFA_ADVANCE4:
		program->address += unwind_read_number(cursor, 4) * unit;
		break;
	case CFA_REMEMBER:
		save_row(program);
		break;
	case CFA_RESTORE_STATE:
		restore_row(program);
		break;
	case CFA_ARGUMENT_SIZE:
		(void)unwind_read_uleb(cursor);
		break;
	default:
		program->is_valid = 0;
	}
}

/* Executes the instructions that apply to addresses up to the wanted one. */
static void execute(rule_program *program, unwind_cursor cursor, uintptr_t wanted)
{
	while (program->is_valid && cursor.at != NULL && cursor.at < cursor.end && program->address <= wanted) {
		const unsigned code = unwind_read_byte(&cursor);
		const unsigned operand = code & 0x3f;

		switch (code & 0xc0) {
		case CFA_ADVANCE:
			program->address += operand * program->entry->code_unit;
			break;
		case CFA_OFFSET:
			set_rule(program, operand, UNWIND_AT,
				 (int64_t)unwind_read_uleb(&cursor) * program->entry->data_unit);
			break;
		case CFA_RESTORE:
			restore_rule(program, operand);
			break;
		default:
			execute_extended(program, &cursor, code);
		}
	}
	program->is_valid &= cursor.at != NULL;
}

int unwind_rules_compute(const unwind_entry *entry, uintptr_t address, unwind_row *row)
{
	rule_program program = {.entry = entry, .row = row, .address = entry->start, .is_valid = 1};
	unwind_row initial;

	memset(row, 0, sizeof(*row));
	if (entry->return_rule != REGISTER_ADDRESS)
		return 0;
	execute(&program, entry->initial, UINTPTR_MAX);
	initial = *row;
	program.initial = &initial;
	execute(&program, entry->program, address);
	return program.is_valid;
}

static int read_stack(const unwind_frame *frame, uint64_t address, uint64_t *value)
{
	const uint64_t offset = address - frame->stack_start;

	if (address < frame->stack_start || offset > frame->stack_length ||
	    frame->stack_length - offset < sizeof(*value))
		return 0;
	memcpy(value, frame->stack + offset, sizeof(*value));
	return 1;
}

/* Operations that combine the two topmost values. Returns 0 if the operation is not supported. */
static int combine(uint64_t *values, unsigned operation)
{
	const uint64_t right = values[1];

	switch (operation) {
	case OP_AND:
		values[0] &= right;
		return 1;
	case OP_MINUS:
		values[0] -= right;
		return 1;
	case OP_PLUS:
		values[0] += right;
		return 1;
	case OP_SHL:
		values[0] = right < 64 ? values[0] << right : 0;
		return 1;
	case OP_GE:
		values[0] = (int64_t)values[0] >= (int64_t)right;
		return 1;
	default:
		return 0;
	}
}

/* Reads the operand of an operation that pushes a value. Returns 0 if it is not such an operation. */
static int push(const unwind_frame *frame, unwind_cursor *cursor, unsigned operation, uint64_t *value)
{
	if (operation >= OP_LIT0 && operation <= OP_LIT31)
		*value = operation - OP_LIT0;
	else if (operation >= OP_BREG0 && operation < OP_BREG0 + REGISTER_COUNT)
		*value = frame->registers[operation - OP_BREG0] + (uint64_t)unwind_read_sleb(cursor);
	else if (operation == OP_CONST1U)
		*value = unwind_read_byte(cursor);
	else if (operation == OP_CONST1S)
		*value = (uint64_t)(int64_t)(int8_t)unwind_read_byte(cursor);
	else if (operation == OP_CONST2U)
		*value = unwind_read_number(cursor, 2);
	else if (operation == OP_CONST2S)
		*value = (uint64_t)(int64_t)(int16_t)unwind_read_number(cursor, 2);
	else
		return 0;
	return 1;
}

/* The base of the frame, if given, is on the stack when the expression starts. Returns 0 on failure. */
static int evaluate(const unwind_frame *frame, unwind_cursor cursor, const uint64_t *base, uint64_t *result)
{
	uint64_t values[EXPRESSION_DEPTH];
	unsigned count = 0;

	if (base != NULL)
		values[count++] = *base;
	while (cursor.at != NULL && cursor.at < cursor.end) {
		const unsigned operation = unwind_read_byte(&cursor);

		if (count < EXPRESSION_DEPTH && push(frame, &cursor, operation, &values[count])) {
			count++;
		} else if (operation == OP_DEREF && count > 0) {
			if (!read_stack(frame, values[count - 1], &values[count - 1]))
				return 0;
		} else if (operation == OP_PLUS_CONST && count > 0) {
			values[count - 1] += unwind_read_uleb(&cursor);
		} else if (count > 1 && combine(&values[count - 2], operation)) {
			count--;
		} else {
			return 0;
		}
	}
	if (cursor.at == NULL || count == 0)
		return 0;
	*result = values[count - 1];
	return 1;
}

int unwind_rules_base(const unwind_row *row, const unwind_frame *frame, uint64_t *base)
{
	if (row->base.kind == UNWIND_IS_EXPRESSION)
		return evaluate(frame, row->base.expression, NULL, base);
	if (row->base.kind != UNWIND_IN_REGISTER)
		return 0;
	*base = frame->registers[row->base_register] + (uint64_t)row->base.value;
	return 1;
}

/* Returns 0 if the register cannot be read. */
static int restore_register(const unwind_rule *rule, uint64_t base, const unwind_frame *frame, uint64_t *value)
{
	uint64_t address;

	switch (rule->kind) {
	case UNWIND_SAME:
		return 1;
	case UNWIND_UNDEFINED:
		*value = 0;
		return 1;
	case UNWIND_AT:
		return read_stack(frame, base + (uint64_t)rule->value, value);
	case UNWIND_IS:
		*value = base + (uint64_t)rule->value;
		return 1;
	case UNWIND_IN_REGISTER:
		if (rule->value < 0 || rule->value >= REGISTER_COUNT)
			return 0;
		*value = frame->registers[rule->value];
		return 1;
	case UNWIND_AT_EXPRESSION:
		return evaluate(frame, rule->expression, &base, &address) && read_stack(frame, address, value);
	case UNWIND_IS_EXPRESSION:
		return evaluate(frame, rule->expression, &base, value);
	}
	return 0;
}

int unwind_rules_apply(const unwind_row *row, uint64_t base, unwind_frame *frame)
{
	uint64_t restored[REGISTER_COUNT];

	memcpy(restored, frame->registers, sizeof(restored));
	restored[REGISTER_STACK] = base;
	for (unsigned i = 0; i < REGISTER_COUNT; i++) {
		if (i == REGISTER_STACK && row->rules[i].kind == UNWIND_SAME)
			continue;
		if (!restore_register(&row->rules[i], base, frame, &restored[i]))
			return 0;
	}
	/* The same address again would never end. */
	if (row->rules[REGISTER_ADDRESS].kind == UNWIND_SAME)
		return 0;
	memcpy(frame->registers, restored, sizeof(restored));
	return 1;
}

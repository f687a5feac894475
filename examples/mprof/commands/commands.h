/* SPDX-License-Identifier: MIT */
/**
 * \file commands/commands.h
 * \brief The commands of mprof. Each is passed its arguments, starting with its name, and returns the exit status.
 */
#ifndef COMMANDS_H
#define COMMANDS_H

int command_check(int argc, char **argv);
int command_control(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_decode(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_dump(int argc, char **argv);
int command_explore(int argc, char **argv);
int command_export(int argc, char **argv);
int command_flame(int argc, char **argv);
int command_follow(int argc, char **argv);
int command_handles(int argc, char **argv);
int command_heap(int argc, char **argv);
int command_import(int argc, char **argv);
int command_info(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_record(int argc, char **argv);
int command_recover(int argc, char **argv);
int command_report(int argc, char **argv);
int command_top(int argc, char **argv);

#endif

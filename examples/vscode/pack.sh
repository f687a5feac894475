#!/bin/bash
# SPDX-License-Identifier: MIT
# Packs the extension for Visual Studio Code: pack.sh OUTPUT PAGE VERSION. PAGE is explore.html without a log. The same
# files make the same package.
set -eu

output=$(realpath -m "${1:?the file to write}")
page=$(realpath "${2:?explore.html}")
version=${3:?the version of the package}
here=$(cd "$(dirname "$0")" && pwd)

command -v zip >/dev/null || { echo "make vscode: zip is missing: install it" >&2; exit 1; }
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
mkdir "$directory/extension"
# Code takes versions of three numbers.
version=$(sed -E 's/^([0-9]+)(\.[0-9]+)?(\.[0-9]+)?.*/\1\2\3/; s/^[0-9]+\.[0-9]+$/&.0/; s/^[0-9]+$/&.0.0/' <<<"$version")
sed "s/\"version\": \"0.0.0\"/\"version\": \"$version\"/" "$here/package.json" >"$directory/extension/package.json"
cp "$here/extension.js" "$here/README.md" "$page" "$directory/extension"
cp "$here/../../COPYING" "$directory/extension/LICENSE.txt"

field() {
	sed -nE "s/^\t\"$1\": \"(.*)\",?$/\1/p" "$directory/extension/package.json"
}

cat >"$directory/[Content_Types].xml" <<END
<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension=".json" ContentType="application/json"/>
<Default Extension=".js" ContentType="application/javascript"/>
<Default Extension=".html" ContentType="text/html"/>
<Default Extension=".md" ContentType="text/markdown"/>
<Default Extension=".txt" ContentType="text/plain"/>
<Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
END
cat >"$directory/extension.vsixmanifest" <<END
<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata>
<Identity Language="en-US" Id="$(field name)" Version="$version" Publisher="$(field publisher)"/>
<DisplayName>$(field displayName)</DisplayName>
<Description xml:space="preserve">$(field description)</Description>
<Categories>Visualization</Categories>
<Properties>
<Property Id="Microsoft.VisualStudio.Code.Engine" Value="$(sed -nE 's/.*"vscode": "(.*)".*/\1/p' "$here/package.json")"/>
<Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="ui,workspace,web"/>
</Properties>
<License>extension/LICENSE.txt</License>
</Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
<Dependencies/>
<Assets>
<Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
</Assets>
</PackageManifest>
END

# Sorted files with a fixed time.
find "$directory" -exec touch -d @315619200 {} +
rm -f "$output.new"
(cd "$directory" && find . -type f -printf '%P\n' | LC_ALL=C sort | TZ=UTC zip -q -X -9 "$output.new" -@)
mv "$output.new" "$output"

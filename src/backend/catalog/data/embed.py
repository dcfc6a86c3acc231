#!/usr/bin/env python3
"""embed.py OUTPUT FILE... : writes a C++ file that holds the text of each data file as hathi::catalog::data::<name>."""
import os
import sys

with open(sys.argv[1], 'w') as out:
    out.write('#include "src/backend/catalog/data.h"\n\nnamespace hathi::catalog::data {\n')
    for path in sys.argv[2:]:
        name = os.path.splitext(os.path.basename(path))[0]
        with open(path) as source:
            text = source.read()
        pieces = []
        for line in text.splitlines(keepends=True):
            line = line.replace('\\', '\\\\').replace('"', '\\"').replace('\t', '\\t').replace('\n', '\\n').replace('?', '\\?')
            pieces.append('"' + line + '"')
        out.write(f'extern const std::string_view {name};\nconstinit const std::string_view {name}{{\n' + '\n'.join(pieces or ['""']) +
                  f', {len(text.encode())}}};\n')
    out.write('}  // namespace hathi::catalog::data\n')

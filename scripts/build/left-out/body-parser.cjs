'use strict';
// In place of body-parser in the bundled programs. Express reads its four parsers when it is loaded, which loads them and
// their tables of character sets: some megabytes of memory. Our bodies are read by src/http/body. A call says so.
const leftOut = (name) => () => {
  throw new Error(`express.${name} is left out of the programs (scripts/build/left-out/body-parser.cjs)`);
};
for (const name of ['json', 'raw', 'text', 'urlencoded']) exports[name] = leftOut(name);

// Loaded into a program (`--require`): writes down that the program reads the file with OpenTelemetry.
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

const { readFileSync } = fs;
fs.readFileSync = (path, ...more) => {
  if (String(path).endsWith('houmao-traces.cjs')) fs.writeFileSync(process.env.NOTED_LOADS, 'loaded');
  return readFileSync(path, ...more);
};
syncBuiltinESMExports();

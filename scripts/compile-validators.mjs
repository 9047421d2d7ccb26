// Compiles the validators of a contract ahead: `npm run build` writes them beside the programs, which then need not.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { contractWalls } from '../dist/src/http/contract-walls.js';
import { ValidatorRecorder } from '../dist/src/http/validator-recorder.js';
import { warmUp } from '../dist/src/http/warm-up.js';

const document = JSON.parse(readFileSync('generated/gateway/openapi.json', 'utf8'));
const recorder = new ValidatorRecorder();
await warmUp(
  document,
  contractWalls(document, () => true, { kind: 'throw' }, recorder),
);
mkdirSync('dist/validators', { recursive: true });
writeFileSync('dist/validators/gateway.cjs', recorder.text());

// Prepares the contract of every surface for express-openapi-validator and compiles its validators ahead, so that
// programs need not. A contract whose own examples break it ends the build.
// usage: node compile-validators.mjs [FOLDER OF SURFACES] [FOLDER TO WRITE]
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { minifySync } from 'rolldown/experimental';
import { checkExamples } from '../../dist/src/http/contract/check-examples.js';
import { ContractChecks } from '../../dist/src/http/contract/contract-checks.js';
import { prepareContract, preparedFiles } from '../../dist/src/http/contract/prepared-contract.js';
import { ValidatorRecorder } from '../../dist/src/http/contract/validator-recorder.js';

const [source = 'generated', target = join('dist', 'validators')] = process.argv.slice(2);
rmSync(target, { recursive: true, force: true });
for (const surface of readdirSync(source)) {
  const path = join(source, surface, 'openapi.json');
  if (!existsSync(path)) continue;
  const document = readFileSync(path, 'utf8');
  const contract = prepareContract(document);
  // Its checks write into it what they find out.
  const prepared = JSON.stringify(contract);
  const recorder = new ValidatorRecorder();
  const checks = new ContractChecks(contract, { kind: 'throw' }, recorder);
  const wrong = checkExamples(JSON.parse(document), checks);
  if (wrong.length > 0) {
    console.error(`${path} contradicts itself:\n${wrong.join('\n')}`);
    process.exit(1);
  }
  for (const [method, route] of checks.all()) checks.operation(method, route).prepare();
  const folder = join(target, surface);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, preparedFiles.contract), prepared);
  writeFileSync(
    join(folder, preparedFiles.validators),
    ascii(smaller(standingAlone(recorder.text(), folder))),
  );
}

/** No person reads it, and the package has a limit. */
function smaller(code) {
  const made = minifySync('validators.cjs', code, { compress: false, codegen: { removeWhitespace: true } });
  if (made.errors.length > 0) throw new Error(made.errors.map(({ message }) => message).join('\n'));
  return made.code;
}

/** Programs read it one byte for each character (src/foundation/cached-script.ts). */
function ascii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Copies what validators need of ajv beside them: where Houmao is installed, there is no ajv. */
function standingAlone(code, folder) {
  const { resolve } = createRequire(import.meta.url);
  return code.replace(/require\("(ajv\/dist\/runtime\/(\w+))"\)/g, (_, module, name) => {
    copyFileSync(resolve(module), join(folder, `${name}.cjs`));
    return `require("./${name}.cjs")`;
  });
}

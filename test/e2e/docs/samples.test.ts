import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import gateway from '../../../generated/gateway/openapi.json' with { type: 'json' };
import server from '../../../generated/managed-agent/openapi.json' with { type: 'json' };
import { type ContractDocument, operationsOf } from '../../../src/contract/document/contract-document.js';
import {
  callOf,
  curlSample,
  pythonSample,
  type SampleCall,
  typescriptSample,
} from '../../../src/page/samples.js';
import { serve } from '../../contract/support/served.js';
import { needsProgram } from '../../support/run/needs.js';
import { newConsumer, root } from '../sdk/consumer.js';

// The samples that the page shows beside each operation can be pasted.

const surfaces = [
  { name: 'gateway', document: gateway as unknown as ContractDocument },
  { name: 'server', document: server as unknown as ContractDocument },
];
const exec = promisify(execFile);
const served = serve();
const consumer = newConsumer();
beforeAll(() => {
  mkdirSync(join(consumer.folder, 'node_modules/@houmao'), { recursive: true });
  symlinkSync(join(root, 'sdk'), join(consumer.folder, 'node_modules/@houmao/sdk'));
});
afterAll(() => consumer.remove());

const callsOf = (document: ContractDocument): SampleCall[] =>
  operationsOf(document).map((placed) => callOf(document, placed));

test('every TypeScript sample compiles, and the first of them runs', { timeout: 120_000 }, async () => {
  for (const { name, document } of surfaces)
    for (const call of callsOf(document))
      consumer.write(
        `${name}-${call.operationId}.ts`,
        typescriptSample(call, served.gateway.url, document.info['x-houmao-sdk']!),
      );
  await consumer.compile();
  expect(await consumer.run(process.execPath, 'gateway-getHealth.js')).toContain("status: 'ok'");
});

test('every Python sample is Python, and the first of them runs', {
  ...needsProgram('python3'),
  timeout: 60_000,
}, async () => {
  const files = surfaces.flatMap(({ name, document }) =>
    callsOf(document).map((call) => {
      const file = join(consumer.folder, `${name}-${call.operationId}.py`);
      writeFileSync(file, pythonSample(call, served.gateway.url));
      return file;
    }),
  );
  expect(files.length).toBeGreaterThan(100);
  const parse = 'import ast, sys\nfor path in sys.argv[1:]: ast.parse(open(path).read(), path)';
  await exec('python3', ['-c', parse, ...files]);
  const [first = ''] = files;
  expect((await exec('python3', [first])).stdout).toContain("'status': 'ok'");
});

test('every curl sample reaches its operation and breaks no rule of it', {
  ...needsProgram('curl'),
  timeout: 120_000,
}, async () => {
  const answers: Record<string, { code: string; status: string }> = {};
  for (const call of callsOf(surfaces[0]!.document)) {
    const command = curlSample(call, served.gateway.url);
    const said = `-o /dev/null -w '%header{X-Houmao-Error-Code} %{http_code}'`;
    const { stdout } = await exec('sh', ['-c', `${command} ${said}`]);
    const [code = '', status = ''] = stdout.split(' ');
    answers[call.operationId] = { code, status };
  }
  const all = Object.entries(answers);
  expect(all.length).toBeGreaterThan(35);
  // A path that no operation has is answered without a code.
  const missed = all.filter(
    ([, { code, status }]) => code === 'validation_failed' || (code === '' && !status.startsWith('2')),
  );
  expect(missed).toEqual([]);
});

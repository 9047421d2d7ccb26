// `node test/nodes/start-and-stop.mjs`: runs `npm start` until it says that it is up, asks its server and both gateways for their
// health, ends npm by SIGTERM, and sees that none of them answers any more. Imports no package: it runs on a fresh clone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const startLimitMs = 15 * 60_000;
const stopLimitMs = 20_000;

/**
 * @param {string} folder of the checkout
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string>} what `npm start` printed
 * @throws Error that says what is wrong, with what it printed
 */
export async function startAndStop(folder, env) {
  const child = spawn('npm', ['start'], { cwd: folder, env: { ...env, HOUMAO_DEMO_PORT: '0' } });
  const ended = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  const problems = [];
  const up = await until(() => output.includes('Ctrl-C') || child.exitCode !== null, startLimitMs);
  if (!up || child.exitCode !== null) problems.push('npm start did not say that it is up');
  const urls = [...new Set(output.match(/http:\/\/127\.0\.0\.1:\d+/g))];
  if (urls.length !== 3)
    problems.push(`npm start named ${urls.length} addresses, not a server and two gateways`);
  for (const url of urls) if (!(await isHealthy(url))) problems.push(`${url}/health is not 200`);
  if (child.exitCode === null) child.kill('SIGTERM');
  await ended;
  for (const url of urls)
    if (!(await until(async () => !(await isHealthy(url)), stopLimitMs)))
      problems.push(`what serves at ${url} outlived npm start`);
  if (problems.length > 0) throw new Error(`${problems.join('\n')}\n${output}`);
  return output;
}

async function until(holds, limitMs) {
  const deadline = Date.now() + limitMs;
  while (!(await holds())) {
    if (Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return true;
}

const isHealthy = (url) =>
  fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    console.log(await startAndStop(process.cwd(), process.env));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

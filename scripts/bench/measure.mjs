// Measures a server process under load: throughput, latency, and the processor time of the server alone.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const load = fileURLToPath(new URL('./load.mjs', import.meta.url));
const ticksPerSecond = 100;

/** Processor seconds of a process so far. */
export function processorSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Resident memory in MiB. */
export const residentMiB = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

function run(options) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [load, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    child.on('exit', (code) =>
      code === 0 ? resolve(JSON.parse(text)) : reject(new Error(`load exited with ${code}`)),
    );
  });
}

/** @returns requests a second, latencies in ms, processor ms per request. */
export async function measure(pid, options) {
  await run({ ...options, seconds: 1 });
  const before = processorSeconds(pid);
  const result = await run(options);
  const spent = processorSeconds(pid) - before;
  if (result.failed > 0) throw new Error(`${result.failed} answers of ${options.path} were no success`);
  return { ...result, processorMs: (spent * 1000) / result.total };
}

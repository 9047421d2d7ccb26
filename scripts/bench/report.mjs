import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

export const milliseconds = (value) => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;

export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return `${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}

/** The machine that the figures were taken on; the disk's share is what one durable write costs. */
export async function hardware() {
  const [cpu] = cpus();
  return (
    `${cpu.model.trim()}, ${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GB, Linux ${release()}, Node ${process.versions.node}, ` +
    `4 KiB append + fdatasync: p50 ${milliseconds(diskMilliseconds())}; load before the start: ${loadavg()[0].toFixed(1)}\n`
  );
}

function diskMilliseconds() {
  const folder = mkdtempSync(join(tmpdir(), 'houmao-disk-'));
  const file = openSync(join(folder, 'probe'), 'w');
  const block = Buffer.alloc(4096, 1);
  const times = Array.from({ length: 300 }, () => {
    const started = performance.now();
    writeSync(file, block);
    fdatasyncSync(file);
    return performance.now() - started;
  });
  closeSync(file);
  rmSync(folder, { recursive: true, force: true });
  return median(times);
}

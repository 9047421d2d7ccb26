import { closeSync, fstatSync, openSync, readSync, watch } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type LineSink, LineSplitter } from '../foundation/line-splitter.js';
import type { TurnArtifacts } from '../session/session-paths.js';
import { readLine, stderrDraft } from '../tools/adapter/event-drafts.js';
import { sessionIdOf } from '../tools/adapter/row-facts.js';
import type { CanonicalDraft, ToolAdapter } from '../tools/adapter/tool-adapter.js';

/** The number of stderr lines that become diagnostic events; the file has all of them. */
const maxStderrEvents = 1000;

/** Takes the output of the agent. */
export interface OutputSink {
  /** @param sessionId the conversation, as soon as a row has named it. */
  event(draft: CanonicalDraft, sessionId: string | null): void;
  /** Called for each row on stdout, whatever it means. */
  row(): void;
  /** A row on stdout was too long to be read. */
  oversizedRow(): void;
}

/**
 * Reads both outputs of an agent as they grow, until `finished` aborts and their ends are reached. The runner of a turn and each
 * follower read the same files, so each sees the same events, however late it began.
 */
export async function readOutput(
  artifacts: TurnArtifacts,
  adapter: ToolAdapter,
  sink: OutputSink,
  finished: AbortSignal,
): Promise<void> {
  let sessionId: string | null = null;
  let stderrLines = 0;
  const emit = (drafts: readonly CanonicalDraft[]): void => {
    for (const draft of drafts) sink.event(draft, sessionId);
  };
  const stdout = followLines(
    artifacts.stdout,
    {
      line(text, wellFormed) {
        sink.row();
        if (text.trim() === '') return;
        sessionId ??= sessionIdOfLine(text);
        emit(readLine(text, adapter));
        if (!wellFormed)
          emit([notice('invalid_utf8', 'A row held bytes that are not UTF-8; stdout.jsonl has them.')]);
      },
      oversized(bytes) {
        sink.row();
        sink.oversizedRow();
        emit([notice('oversized_row', `A row of ${bytes} bytes is too long to read; stdout.jsonl has it.`)]);
      },
    },
    finished,
  );
  const stderr = followLines(
    artifacts.stderr,
    {
      line(text) {
        if (text.trim() === '') return;
        stderrLines += 1;
        if (stderrLines <= maxStderrEvents) emit([stderrDraft(text)]);
      },
      oversized: (bytes) =>
        emit([notice('oversized_row', `A line of ${bytes} bytes on stderr is too long to read.`)]),
    },
    finished,
  );
  await Promise.all([stdout, stderr]);
  if (stderrLines > maxStderrEvents)
    emit([notice('stderr', `${stderrLines - maxStderrEvents} more lines are in stderr.log.`)]);
}

const notice = (providerEventType: string, text: string): CanonicalDraft => ({
  kind: 'diagnostic',
  message: text,
  provider_event_type: providerEventType,
  data: { severity: 'warning', text },
  raw_payload: null,
});

function sessionIdOfLine(text: string): string | null {
  try {
    const row: unknown = JSON.parse(text);
    return row !== null && typeof row === 'object' && !Array.isArray(row)
      ? sessionIdOf(row as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** The longest wait for a new row, because file system events may be missed. */
const pollMilliseconds = 200;
const chunkBytes = 256 * 1024;

/**
 * Passes on the lines of a growing file until `finished` aborts and its end is reached; a last line without newline counts.
 * Memory is bound by one chunk and one row, however long the file gets.
 */
export async function followLines(path: string, sink: LineSink, finished: AbortSignal): Promise<void> {
  const file = await open(path, 'r');
  const waiter = new ChangeWaiter(path, finished);
  const splitter = new LineSplitter(sink);
  const chunk = Buffer.allocUnsafe(chunkBytes);
  try {
    for (;;) {
      // This is checked before the read: the read then has everything that was written before the end, so nothing is missed.
      const last = finished.aborted;
      const bytes = await readChunk(file, chunk);
      if (bytes > 0) splitter.take(chunk.subarray(0, bytes));
      else if (last) return splitter.end();
      else await waiter.changed();
    }
  } finally {
    waiter.close();
    await file.close();
  }
}

const readChunk = async (file: FileHandle, chunk: Buffer): Promise<number> =>
  (await file.read(chunk, 0, chunk.length)).bytesRead;

/** Waits for the file to grow. */
class ChangeWaiter {
  readonly #finished: AbortSignal;
  readonly #watcher;
  #wake: () => void = () => undefined;

  constructor(path: string, finished: AbortSignal) {
    this.#finished = finished;
    this.#watcher = watch(path, () => this.#wake());
    this.#watcher.on('error', () => undefined);
    finished.addEventListener('abort', this.#onFinished);
  }

  #onFinished = (): void => this.#wake();

  changed(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pollMilliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#finished.aborted) this.#wake();
    });
  }

  close(): void {
    this.#watcher.close();
    this.#finished.removeEventListener('abort', this.#onFinished);
  }
}

/** Returns the last `bytes` of a file as text; empty if no file can be read. */
export function readTail(path: string, bytes: number): string {
  try {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const buffer = Buffer.alloc(Math.min(bytes, size));
      readSync(file, buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString('utf8');
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}

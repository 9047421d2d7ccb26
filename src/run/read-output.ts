import type { TurnArtifacts } from '../session/turn-artifacts.js';
import type { CanonicalDraft } from '../tools/adapter/canonical-event.js';
import { stderrDraft } from '../tools/adapter/diagnostic-draft.js';
import { readLine } from '../tools/adapter/read-line.js';
import { sessionIdOf } from '../tools/adapter/session-id.js';
import type { ToolAdapter } from '../tools/adapter/tool-adapter.js';
import { followLines } from './line-follower.js';

/** stderr lines that become diagnostic events; the file holds all of them. */
const maxStderrEvents = 1000;

/** Takes what the agent says. */
export interface OutputSink {
  /** @param sessionId the conversation, as soon as a row has named it. */
  event(draft: CanonicalDraft, sessionId: string | null): void;
  /** A row has come on stdout, whatever it means. */
  row(): void;
  /** A row on stdout was too long to be read. */
  oversizedRow(): void;
}

/**
 * Reads both outputs of an agent as they grow, until `finished` aborts and their ends are reached. The runner of a turn
 * and whoever follows it read the same files, so each sees the same events, however late it began.
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

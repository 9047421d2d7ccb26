import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../fixtures/recordings/', import.meta.url);

/** A look at the terminal of a real tool while it was driven. */
export interface RecordedSample {
  id: string;
  elapsedSeconds: number;
  /** The output of `tmux capture-pane -p -e`. */
  capture: string;
}

/** A person's reading of the samples from `sample_id` to `sample_end_id`. */
export interface RecordingLabel {
  label_id: string;
  sample_id: string;
  sample_end_id: string;
  expectations: Record<string, string>;
}

export interface Recording {
  observedVersion: string;
  settleSeconds: number;
  samples: RecordedSample[];
  labels: RecordingLabel[];
}

export const recordedCases = (tool: string): string[] => readdirSync(new URL(`${tool}/`, folder)).sort();

/** @param path such as `claude/explicit_success`. */
export function recording(path: string): Recording {
  const read = (file: string): unknown =>
    JSON.parse(readFileSync(new URL(`${path}/${file}`, folder), 'utf8')) as unknown;
  const stored = read('recording.json') as {
    observed_version: string;
    settle_seconds: number;
    samples: [id: string, elapsedSeconds: number, screen: number][];
    screens: string[];
  };
  return {
    observedVersion: stored.observed_version,
    settleSeconds: stored.settle_seconds,
    samples: stored.samples.map(([id, elapsedSeconds, screen]) => ({
      id,
      elapsedSeconds,
      capture: stored.screens[screen]!,
    })),
    labels: (read('labels.json') as { labels: RecordingLabel[] }).labels,
  };
}

/** The rows of a file of events beside a recording, such as `input_events`. */
export const recordedRows = (path: string, file: 'input_events' | 'runtime_observations'): unknown[] =>
  readFileSync(new URL(`${path}/${file}.ndjson`, folder), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

/** The label that covers a sample. */
export const labelOf = ({ labels }: Recording, { id }: RecordedSample): RecordingLabel | undefined =>
  labels.find(({ sample_id, sample_end_id }) => sample_id <= id && id <= sample_end_id);

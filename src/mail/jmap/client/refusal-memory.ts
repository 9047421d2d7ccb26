import { existsSync, readFileSync, rmSync } from 'node:fs';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { writeFileAtomic } from '../../../foundation/atomic-file.js';
import type { Refusal } from './refusal.js';

/** Where it is kept which credential was refused last. */
export interface RefusalMemory {
  /** Of the file, for people; null where there is none. */
  readonly path: string | null;
  read(): Refusal | null;
  write(refusal: Refusal | null): void;
}

const RefusalSchema = Type.Object({
  digest: Type.String(),
  denial: Type.Union([Type.Literal('credential'), Type.Literal('caller')]),
  count: Type.Integer({ minimum: 1 }),
  until: Type.Number(),
  words: Type.String(),
});

/**
 * @param path of a file that programs share, for each of them would show the credential once more; null for one program's own memory.
 */
export function refusalMemory(path: string | null): RefusalMemory {
  let held: Refusal | null = null;
  if (path === null)
    return {
      path,
      read: () => held,
      write: (refusal) => {
        held = refusal;
      },
    };
  return {
    path,
    read: () => readNote(path) ?? held,
    write: (refusal) => {
      held = refusal;
      try {
        if (refusal === null) rmSync(path, { force: true });
        // What is none of ours stays as it is.
        else if (!existsSync(path) || readNote(path) !== null)
          writeFileAtomic(path, `${JSON.stringify(refusal)}\n`);
      } catch {
        // A disk that takes no note: this program remembers it all the same.
      }
    },
  };
}

function readNote(path: string): Refusal | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Value.Check(RefusalSchema, value) ? value : null;
  } catch {
    return null;
  }
}

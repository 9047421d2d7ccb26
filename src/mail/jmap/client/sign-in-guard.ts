import { existsSync, readFileSync, rmSync } from 'node:fs';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { writeFileAtomic } from '../../../foundation/atomic-file.js';
import type { Clock } from '../../../foundation/clock.js';
import { digestOf, heldBackWords, isHeldBack, type Refusal, refusedAgain } from './refusal.js';
import { denied, type ServerFault } from './server-fault.js';

/** Holds a credential back that a server refused, until it is another one or the pause is over. */
export class SignInGuard {
  readonly #server: string;
  readonly #memory: RefusalMemory;
  readonly #clock: Clock;

  /** @param server its address: what one refuses another may take. */
  constructor(server: string, memory: RefusalMemory, clock: Clock) {
    this.#server = server;
    this.#memory = memory;
    this.#clock = clock;
  }

  /** Asked before a credential is shown. @throws {ServerFault} where it is held back. */
  check(authorization: string): void {
    const before = this.#memory.read();
    if (isHeldBack(before, digestOf(this.#server, authorization), this.#now()))
      throw denied(before.denial, heldBackWords(before, this.#memory.path));
  }

  /** @returns the fault, with how long the credential is held back where it is of one who is not let in. */
  noted(authorization: string, fault: ServerFault): ServerFault {
    const { denial, message: words } = fault;
    if (denial === null) return fault;
    const refused = { digest: digestOf(this.#server, authorization), denial, words };
    const refusal = refusedAgain(this.#memory.read(), refused, this.#now());
    this.#memory.write(refusal);
    return denied(denial, heldBackWords(refusal, this.#memory.path));
  }

  /** A server let somebody in: what was noted of an earlier refusal is over. */
  letIn(): void {
    if (this.#memory.read() !== null) this.#memory.write(null);
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}

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

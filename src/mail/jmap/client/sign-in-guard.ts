import { existsSync, readFileSync, rmSync } from 'node:fs';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { writeFileAtomic } from '../../../foundation/atomic-file.js';
import type { Clock } from '../../../foundation/clock.js';
import { type CredentialRefusal, digestOf, heldBackWords, isHeldBack, refusedAgain } from './refusal.js';
import { denied, type ServerFault } from './server-fault.js';

/** Holds back a credential that a server refused, until it is replaced or the pause has ended. */
export class SignInGuard {
  readonly #server: string;
  readonly #memory: RefusalMemory;
  readonly #clock: Clock;

  /** @param server its address: another server may accept a credential that this one refuses. */
  constructor(server: string, memory: RefusalMemory, clock: Clock) {
    this.#server = server;
    this.#memory = memory;
    this.#clock = clock;
  }

  /** Checks a credential before it is used. @throws {ServerFault} where it is held back. */
  check(authorization: string): void {
    const before = this.#memory.read();
    if (isHeldBack(before, digestOf(this.#server, authorization), this.#now()))
      throw denied(before.denial, heldBackWords(before, this.#memory.path));
  }

  /** Records a refused login. @returns the fault; for a refused login it also says how long the credential is held back. */
  noted(authorization: string, fault: ServerFault): ServerFault {
    const { denial, message: words } = fault;
    if (denial === null) return fault;
    const refused = { digest: digestOf(this.#server, authorization), denial, words };
    const refusal = refusedAgain(this.#memory.read(), refused, this.#now());
    this.#memory.write(refusal);
    return denied(denial, heldBackWords(refusal, this.#memory.path));
  }

  /** Removes the record of an earlier refusal, because the server has accepted a credential. */
  letIn(): void {
    if (this.#memory.read() !== null) this.#memory.write(null);
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}

/** Stores which credential was refused last. */
export interface RefusalMemory {
  /** The path of the file, for people; null where there is none. */
  readonly path: string | null;
  read(): CredentialRefusal | null;
  write(refusal: CredentialRefusal | null): void;
}

const RefusalSchema = Type.Object({
  digest: Type.String(),
  denial: Type.Union([Type.Literal('credential'), Type.Literal('caller')]),
  count: Type.Integer({ minimum: 1 }),
  until: Type.Number(),
  words: Type.String(),
});

/**
 * @param path of a file that programs share, because each of them would use the credential once more; null for
 * a memory of this program alone.
 */
export function refusalMemory(path: string | null): RefusalMemory {
  let held: CredentialRefusal | null = null;
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
        // A file that is not ours stays as it is.
        else if (!existsSync(path) || readNote(path) !== null)
          writeFileAtomic(path, `${JSON.stringify(refusal)}\n`);
      } catch {
        // The disk takes no note; this program remembers the refusal nevertheless.
      }
    },
  };
}

function readNote(path: string): CredentialRefusal | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Value.Check(RefusalSchema, value) ? value : null;
  } catch {
    return null;
  }
}

import type { Clock } from '../../../foundation/clock.js';
import { digestOf, heldBackWords, isHeldBack, refusedAgain } from './refusal.js';
import type { RefusalMemory } from './refusal-memory.js';
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

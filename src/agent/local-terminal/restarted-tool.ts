import type { TreeProcess } from '../../terminal/process-tree.js';

/** On a busy machine a tool may not answer in time; one that never does has no version to tell. */
const mostTries = 3;

/**
 * Knows the version of the tool in a terminal. It is asked for anew when the tool was restarted, which may have been updated
 * meanwhile and draws other screens then, and while it is not known: without it some screens cannot be read.
 */
export class RestartedTool {
  readonly #ask: () => Promise<string | null>;
  readonly #changed: (version: string) => void;
  #version: string | null;
  #pid: number | null = null;
  #triesLeft = 0;
  #asking = false;

  /**
   * @param version as it was at the launch; null where that is not known.
   * @param ask for the version that would be started now. It may fail.
   */
  constructor(version: string | null, ask: () => Promise<string | null>, changed: (version: string) => void) {
    this.#version = version;
    this.#ask = ask;
    this.#changed = changed;
  }

  get version(): string | null {
    return this.#version;
  }

  /** Takes the tool's process, as each look at the pane finds it. Resolves when what follows from it is known. */
  async saw(tool: TreeProcess | null): Promise<void> {
    if (tool === null) return;
    const { pid } = tool;
    if (pid !== this.#pid) {
      this.#triesLeft = this.#pid === null && this.#version !== null ? 0 : mostTries;
      this.#pid = pid;
    }
    if (this.#triesLeft === 0 || this.#asking) return;
    this.#triesLeft -= 1;
    this.#asking = true;
    const version = await this.#ask().catch(() => null);
    this.#asking = false;
    // What was asked before the tool was restarted may be the version that it had.
    if (version === null || pid !== this.#pid) return;
    this.#triesLeft = 0;
    if (version === this.#version) return;
    this.#version = version;
    this.#changed(version);
  }
}

import type { TreeProcess } from '../../terminal/process-tree.js';

/** Notices that the tool in a terminal was started anew: it may have been updated meanwhile, and draws other screens then. */
export class RestartedTool {
  readonly #ask: () => Promise<string | null>;
  readonly #changed: (version: string) => void;
  #version: string | null;
  #pid: number | null = null;

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
    if (tool === null || tool.pid === this.#pid) return;
    const isFirst = this.#pid === null;
    this.#pid = tool.pid;
    if (isFirst) return;
    const version = await this.#ask().catch(() => null);
    if (version === null || version === this.#version) return;
    this.#version = version;
    this.#changed(version);
  }
}

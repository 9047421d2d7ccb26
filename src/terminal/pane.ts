import type { KeySegment } from './terminal-input.js';
import { TmuxFault } from './tmux-fault.js';

/** Sends commands to a tmux server: {@link TmuxControl}, or `tmux` as a program if there is no connection. */
export interface TmuxAsker {
  /** @throws {TmuxFault} */
  ask(args: readonly string[]): Promise<readonly string[]>;
  /** @throws {TmuxFault} */
  askAll(args: readonly string[]): Promise<readonly string[]>;
}

/** The facts about a pane that tmux gives without its text. */
export interface PaneStatus {
  /** Its program has ended, and tmux keeps its last screen. */
  dead: boolean;
  /** The process that tmux started in the pane. */
  pid: number;
  /** A person scrolls in it: keys go to tmux, not to the program. */
  inMode: boolean;
  /** Whether the program draws on a screen of its own, without a history. */
  alternateScreen: boolean;
  title: string;
}

const statusFormat = ['pane_id', 'pane_dead', 'pane_pid', 'pane_in_mode', 'alternate_on', 'pane_title'].map(
  (name) => `#{${name}}`,
);

/** The screen of a pane, for people. */
export interface PaneScreen {
  columns: number;
  rows: number;
  /** The rows with their styles as escape sequences, separated by line feeds. */
  text: string;
  /** Counted from 0; null while it is hidden. */
  cursor: { column: number; row: number } | null;
  /** A person scrolls in it: keys go to tmux, not to the program. */
  scrolled: boolean;
}

const screenFormat = ['pane_width', 'pane_height', 'cursor_x', 'cursor_y', 'cursor_flag', 'pane_in_mode'].map(
  (name) => `#{${name}}`,
);

/** One pane of a tmux server, by its id: names and places may become another pane's (docs/decisions.md#panes). */
export class Pane {
  readonly id: string;
  readonly #tmux: TmuxAsker;

  constructor(tmux: TmuxAsker, id: string) {
    this.#tmux = tmux;
    this.id = id;
  }

  /** @throws {TmuxFault} also if the pane no longer exists. */
  async status(): Promise<PaneStatus> {
    const [line = ''] = await this.#tmux.ask([
      'display-message',
      '-p',
      '-t',
      this.id,
      statusFormat.join(' '),
    ]);
    const [id, dead, pid, inMode, alternate, ...title] = line.split(' ');
    // For a pane that no longer exists tmux answers with no pane at all, or with another one.
    if (id !== this.id) throw new TmuxFault(`tmux display-message: can't find pane: ${this.id}`);
    return {
      dead: dead === '1',
      pid: Number(pid),
      inMode: inMode === '1',
      alternateScreen: alternate === '1',
      title: title.join(' '),
    };
  }

  /**
   * Reads the text with its styles as escape sequences, a row for each line.
   * @param history the number of rows above the screen that are read as well.
   * @throws {TmuxFault}
   */
  async capture(history: number): Promise<string> {
    const rows = await this.#tmux.ask(['capture-pane', '-p', '-e', '-t', this.id, '-S', String(-history)]);
    return rows.join('\n');
  }

  /** Reads the screen as a person would see it. @throws {TmuxFault} */
  async screen(): Promise<PaneScreen> {
    const text = await this.capture(0);
    const [line = ''] = await this.#tmux.ask([
      'display-message',
      '-p',
      '-t',
      this.id,
      screenFormat.join(' '),
    ]);
    const [columns = 0, rows = 0, column = 0, row = 0, shown, inMode] = line.split(' ').map(Number);
    return { columns, rows, text, cursor: shown === 1 ? { column, row } : null, scrolled: inMode === 1 };
  }

  /** Reads the text of the screen without styles, for people. @throws {TmuxFault} */
  async plainText(): Promise<string> {
    return (await this.#tmux.ask(['capture-pane', '-p', '-t', this.id])).join('\n');
  }

  /**
   * Types the segments one after the other. Nothing is read between them, and no Enter is added.
   * @throws {TmuxFault} segments that were typed before the fault stay typed.
   */
  async type(segments: readonly KeySegment[]): Promise<void> {
    for (const segment of segments) {
      if ('key' in segment) await this.#tmux.ask(['send-keys', '-t', this.id, segment.key]);
      else await this.#tmux.ask(['send-keys', '-t', this.id, '-l', '--', segment.text]);
    }
  }

  /** Returns the keys to the program. Does nothing if the pane is not in a mode, such as scrolling. @throws {TmuxFault} */
  async leaveMode(): Promise<void> {
    const cancel = `send-keys -t ${this.id} -X cancel`;
    await this.#tmux.askAll(['if-shell', '-F', '-t', this.id, '#{pane_in_mode}', cancel]);
  }

  /**
   * Loads a text that is to be pasted into tmux.
   * @param buffer a name that no paste had before.
   * @param file a file that only its owner can read. If tmux cannot read it, only {@link paste} fails.
   * @throws {TmuxFault}
   */
  async load(buffer: string, file: string): Promise<void> {
    await this.#tmux.ask(['load-buffer', '-b', buffer, file]);
  }

  /** Deletes a buffer: it holds a whole prompt, and any user of this server may read it. Never throws. */
  async forget(buffer: string): Promise<void> {
    await this.#tmux.ask(['delete-buffer', '-b', buffer]).catch(() => undefined);
  }

  /**
   * Pastes the loaded text, in brackets if the program has enabled them, and deletes the buffer.
   * @returns false if nothing was pasted: the program has ended, or a person scrolls. A paste into a dead pane ends the whole
   * server of tmux 3.3a, so tmux checks and pastes in one step.
   * @throws {TmuxFault}
   */
  async paste(buffer: string): Promise<boolean> {
    const paste = `paste-buffer -d -p -b ${buffer} -t ${this.id} ; display-message -p pasted`;
    const forget = `delete-buffer -b ${buffer} ; display-message -p refused`;
    const closed = '#{||:#{pane_dead},#{pane_in_mode}}';
    try {
      const said = await this.#tmux.askAll(['if-shell', '-F', '-t', this.id, closed, forget, paste]);
      return said.includes('pasted');
    } catch (fault) {
      await this.forget(buffer);
      throw fault;
    }
  }
}

import type { KeySegment } from './terminal-input.js';
import { TmuxFault } from './tmux-fault.js';

/** Asks a tmux server: {@link TmuxControl}, or `tmux` as a program where there is no connection. */
export interface TmuxAsker {
  /** @throws {TmuxFault} */
  ask(args: readonly string[]): Promise<readonly string[]>;
  /** @throws {TmuxFault} */
  askAll(args: readonly string[]): Promise<readonly string[]>;
}

/** What tmux says about a pane without reading its text. */
export interface PaneStatus {
  /** What ran in it has ended, and tmux keeps its last screen. */
  dead: boolean;
  /** The process that tmux started in it. */
  pid: number;
  /** Somebody scrolls in it: keys go to tmux, not to the program. */
  inMode: boolean;
  /** Whether the program draws on a screen of its own, without a history. */
  alternateScreen: boolean;
  title: string;
}

const statusFormat = ['pane_id', 'pane_dead', 'pane_pid', 'pane_in_mode', 'alternate_on', 'pane_title'].map(
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

  /** @throws {TmuxFault} also when there is no such pane any more. */
  async status(): Promise<PaneStatus> {
    const [line = ''] = await this.#tmux.ask([
      'display-message',
      '-p',
      '-t',
      this.id,
      statusFormat.join(' '),
    ]);
    const [id, dead, pid, inMode, alternate, ...title] = line.split(' ');
    // tmux answers for no pane at all, or for another one, where this one is gone.
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
   * The text with its styles as escape sequences, a row for each line.
   * @param history rows above the screen that are read too.
   * @throws {TmuxFault}
   */
  async capture(history: number): Promise<string> {
    const rows = await this.#tmux.ask(['capture-pane', '-p', '-e', '-t', this.id, '-S', String(-history)]);
    return rows.join('\n');
  }

  /** The text of the screen without styles, for people. @throws {TmuxFault} */
  async plainText(): Promise<string> {
    return (await this.#tmux.ask(['capture-pane', '-p', '-t', this.id])).join('\n');
  }

  /**
   * Types segment after segment. Nothing is read between them, and no Enter is added.
   * @throws {TmuxFault} what was typed before stays typed.
   */
  async type(segments: readonly KeySegment[]): Promise<void> {
    for (const segment of segments) {
      if ('key' in segment) await this.#tmux.ask(['send-keys', '-t', this.id, segment.key]);
      else await this.#tmux.ask(['send-keys', '-t', this.id, '-l', '--', segment.text]);
    }
  }

  /** Lets the program have the keys again. Does nothing where nobody scrolls. @throws {TmuxFault} */
  async leaveMode(): Promise<void> {
    const cancel = `send-keys -t ${this.id} -X cancel`;
    await this.#tmux.askAll(['if-shell', '-F', '-t', this.id, '#{pane_in_mode}', cancel]);
  }

  /**
   * Has tmux read what is to be pasted.
   * @param buffer a name that no paste had before.
   * @param file that only its owner can read. One that cannot be read is only told of by {@link paste}.
   * @throws {TmuxFault}
   */
  async load(buffer: string, file: string): Promise<void> {
    await this.#tmux.ask(['load-buffer', '-b', buffer, file]);
  }

  /** A buffer holds a whole prompt, and anybody at this server may read it. Never throws. */
  async forget(buffer: string): Promise<void> {
    await this.#tmux.ask(['delete-buffer', '-b', buffer]).catch(() => undefined);
  }

  /**
   * Pastes what was loaded, in brackets where the program asked for them, and forgets it.
   * @returns false when nothing was pasted: the program has ended, or somebody scrolls. A paste into a dead pane ends
   *   the whole server of tmux 3.3a, so tmux looks and pastes in one step.
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

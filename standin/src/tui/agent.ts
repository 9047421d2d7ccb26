import { randomUUID } from 'node:crypto';
import type { ToolDirective } from '../directives.js';
import { newMessageId } from '../rows.js';
import { runTurn, TurnAborted, type TurnProgress, toolCommand, toolTitle } from './agent-turn.js';
import type { Box } from './box.js';
import type { SentDraft } from './composer.js';
import type { OpenDialog } from './dialogs.js';
import { commandOf } from './slash-commands.js';
import { clockText } from './time.js';
import type { PromptSource, Transcript } from './transcript.js';
import type { TuiParts } from './tui-parts.js';

// Takes prompts one after the other:
//
//   idle ──a prompt──▶ working ──its end, Escape──▶ idle, or working at the first of the queue
//   working ──a prompt──▶ working, and it waits in the queue

interface Prompt extends SentDraft {
  source: PromptSource;
}

const dialogMilliseconds = 500;
const crashMilliseconds = 50;
const pictureMilliseconds = 150;
const verbs = [
  ['Baking', 'Worked'],
  ['Infusing', 'Cogitated'],
  ['Brewing', 'Brewed'],
  ['Churning', 'Churned'],
] as const;

export class StandinAgent {
  readonly #parts: TuiParts;
  readonly #box: Box;
  readonly #dialogs: OpenDialog;
  readonly #turnEnded: () => void;
  #transcript: Transcript;
  #queue: SentDraft[] = [];
  #turn: AbortController | null = null;
  #allowsAll: boolean;
  #taken = 0;

  /** @param turnEnded is called before the screen shows the end. */
  constructor(parts: TuiParts, box: Box, dialogs: OpenDialog, turnEnded: () => void) {
    this.#parts = parts;
    this.#box = box;
    this.#dialogs = dialogs;
    this.#turnEnded = turnEnded;
    this.#transcript = parts.transcript;
    this.#allowsAll = parts.skipPermissions;
  }

  /** Takes a prompt, now or after the prompts before it. */
  submit(sent: SentDraft): void {
    if (this.#turn === null) {
      void this.#take({ ...sent, source: 'typed' });
      return;
    }
    const { files, hooks, ledger } = this.#parts;
    void hooks.run('UserPromptSubmit', { prompt: sent.prompt });
    this.#setQueue([...this.#queue, sent]);
    files.append(this.#transcript.enqueued(sent.prompt));
    ledger({ queued: sent.prompt, text: sent.text });
  }

  /** Ends the running turn; returns false if there is none. */
  interrupt(): boolean {
    this.#turn?.abort();
    return this.#turn !== null;
  }

  /** Takes the queue back into the box. */
  popQueue(): void {
    if (this.#queue.length === 0) return;
    const back = this.#queue.map(({ display }) => display).join('\n');
    this.#parts.files.append(this.#transcript.popped(this.#queue.map(({ prompt }) => prompt).join('\n')));
    const pastes = this.#queue.flatMap((each) => each.pastes);
    this.#setQueue([]);
    const { text, pastes: own } = this.#box.draft;
    this.#box.draft = {
      text: [back, ...(text === '' ? [] : [text])].join('\n'),
      pastes: [...pastes, ...own],
    };
  }

  #setQueue(queue: SentDraft[]): void {
    const { screen, draw } = this.#parts;
    this.#queue = queue;
    screen.queued = queue.map(({ display }) => display);
    screen.placeholder = queue.length === 0 ? null : 'Press up to edit queued messages';
    draw();
  }

  /** Runs a prompt or a command that is next. */
  async #take(prompt: Prompt): Promise<void> {
    const command = commandOf(prompt.text);
    if (command === null) await this.#runPrompt(prompt);
    else {
      const { files, ledger, screen } = this.#parts;
      files.remember(prompt.display, prompt.pastes);
      ledger({ command: prompt.text, session_id: files.sessionId });
      if (command.kind === 'leave') await this.#parts.leave('left', 0);
      if (command.kind === 'new-conversation') this.#newConversation(command.name);
      if (command.kind === 'unknown') {
        files.append(this.#transcript.unknownCommand(command.name));
        screen.entries = [
          ...screen.entries,
          { kind: 'prompt', text: prompt.display },
          { kind: 'note', text: `Unknown command: /${command.name}` },
        ];
        screen.turnStart = screen.entries.length;
      }
      this.#parts.draw();
    }
    const [next, ...rest] = this.#queue;
    if (next === undefined) return;
    this.#setQueue(rest);
    this.#parts.files.append(this.#transcript.dequeued());
    await this.#take({ ...next, source: 'queued' });
  }

  #newConversation(name: string): void {
    const { files, screen } = this.#parts;
    const sessionId = randomUUID();
    files.publish({ sessionId });
    this.#transcript = this.#parts.newTranscript(sessionId);
    files.append(this.#transcript.startedBy(name));
    screen.entries = [];
    screen.turnStart = 0;
  }

  async #runPrompt(prompt: Prompt): Promise<void> {
    const { screen, files, switches, time, ledger } = this.#parts;
    const session_id = files.sessionId;
    const [verb, did] = verbs[this.#taken % verbs.length] ?? verbs[0];
    const startedAt = time.now();
    const turn = new AbortController();
    const progress: TurnProgress = {
      messageId: newMessageId(),
      output: false,
      partial: null,
    };
    this.#turn = turn;
    this.#taken += 1;
    screen.turnStart = screen.entries.length;
    screen.entries = [...screen.entries, { kind: 'prompt', text: prompt.display }];
    screen.working = { verb, tick: 0, seconds: 0, tokens: 0, retry: null };
    this.#parts.title(true);
    files.status('busy');
    void this.#spin(turn.signal, startedAt);
    this.#parts.draw();
    // The hooks of a queued prompt ran when it was queued.
    const refused = prompt.source === 'typed' ? await this.#refusal(prompt) : null;
    if (refused !== null) {
      turn.abort();
      this.#putBack(prompt, refused);
      return;
    }
    ledger({ session_id, prompt: prompt.prompt, text: prompt.text, source: prompt.source });
    files.remember(prompt.display, prompt.pastes);
    files.append(this.#transcript.prompt(prompt.prompt, prompt.source));
    if (this.#taken === switches.crashToShell) {
      await time.sleep(crashMilliseconds);
      await this.#parts.leave('crashed', 1);
    }
    const outcome = await this.#work(prompt, progress, turn.signal);
    turn.abort();
    const durationMs = time.now() - startedAt;
    if (outcome === 'answered') {
      files.append(this.#transcript.turnEnd(durationMs));
      const seconds = Math.round(durationMs / 1000);
      screen.entries = [
        ...screen.entries,
        { kind: 'finished', verb: did, seconds, clock: clockText(time.now()) },
      ];
    }
    this.#stopWorking();
    ledger({ done: true, session_id, outcome, exit_code: null });
    this.#parts.draw();
  }

  #stopWorking(): void {
    const { screen, files } = this.#parts;
    this.#turn = null;
    screen.working = null;
    screen.turnStart = screen.entries.length;
    this.#turnEnded();
    this.#parts.title(false);
    files.status('idle');
  }

  #refusal({ prompt }: Prompt): Promise<string | null> {
    return this.#parts.hooks.run('UserPromptSubmit', { prompt });
  }

  #putBack(prompt: Prompt, reason: string): void {
    const { screen, files, ledger } = this.#parts;
    files.append(this.#transcript.refused(prompt.prompt, reason));
    ledger({ refused: prompt.prompt });
    const note = `UserPromptSubmit operation blocked by hook: ${reason}`;
    screen.entries = [...screen.entries.slice(0, screen.turnStart), { kind: 'note', text: note }];
    this.#box.draft = { text: prompt.display, pastes: prompt.pastes };
    this.#stopWorking();
    this.#parts.draw();
  }

  async #work(prompt: Prompt, progress: TurnProgress, signal: AbortSignal): Promise<string> {
    const { screen, files, switches, time } = this.#parts;
    try {
      return await runTurn({
        text: prompt.text,
        screen,
        transcript: this.#transcript,
        files,
        time,
        signal,
        progress,
        moreRows: switches.longOutput ?? 0,
        draw: () => this.#parts.draw(),
        ask: this.#allowsAll ? null : (tool) => this.#askPermission(tool, signal),
        absorb: () => this.#absorb(),
        leave: (exitCode) => this.#parts.leave('asked', exitCode),
        crash: () => this.#parts.kill(),
      });
    } catch (error) {
      if (!(error instanceof TurnAborted)) throw error;
      return this.#interrupted(prompt, progress);
    }
  }

  /** Ends an interrupted turn. Before any output the prompt goes back into the box, if the box and the queue are empty. */
  #interrupted(prompt: Prompt, progress: TurnProgress): string {
    const { screen, files } = this.#parts;
    if (!progress.output && this.#queue.length === 0 && this.#box.draft.text === '') {
      screen.entries = screen.entries.slice(0, screen.turnStart);
      this.#transcript.withdraw();
      this.#box.draft = { text: prompt.display, pastes: prompt.pastes };
      return 'withdrawn';
    }
    files.append(this.#transcript.interrupted(progress.messageId, progress.partial));
    screen.entries = [...screen.entries, { kind: 'interrupted' }];
    return 'interrupted';
  }

  /** Takes queued prompts into the turn: while a tool runs, they are read with its result; commands wait for the end. */
  #absorb(): readonly string[] {
    const { files, ledger, screen } = this.#parts;
    const absorbed = this.#queue.filter(({ text }) => commandOf(text) === null);
    if (absorbed.length === 0) return [];
    this.#setQueue(this.#queue.filter((each) => !absorbed.includes(each)));
    for (const { prompt, text, display } of absorbed) {
      files.append(this.#transcript.absorbed(prompt));
      ledger({ session_id: files.sessionId, prompt, text, source: 'absorbed' });
      screen.entries = [...screen.entries, { kind: 'prompt', text: display }];
    }
    return absorbed.map(({ text }) => text);
  }

  async #askPermission(tool: ToolDirective, signal: AbortSignal): Promise<boolean> {
    const { files, hooks, switches, time } = this.#parts;
    files.status('waiting', 'permission prompt');
    await hooks.run('PermissionRequest', { tool_name: tool.name, tool_input: tool.input });
    const delay = switches.permissionEarly ? 0 : (switches.permissionLate ?? dialogMilliseconds);
    await time.sleep(delay, signal);
    if (signal.aborted) throw new TurnAborted();
    const shown = { tool: tool.name, command: toolCommand(tool), title: toolTitle(tool) };
    const { choice } = await this.#dialogs.ask({ kind: 'permission', ...shown, selected: 0 }, shown);
    files.status('busy');
    if (choice === null || choice === 'No') return false;
    if (choice !== 'Yes') this.#allowsAll = true;
    return true;
  }

  async #spin(signal: AbortSignal, startedAt: number): Promise<void> {
    const { time, screen, draw } = this.#parts;
    for (;;) {
      await time.sleep(pictureMilliseconds, signal);
      if (signal.aborted || screen.working === null) return;
      screen.working.tick += 1;
      screen.working.seconds = Math.floor((time.now() - startedAt) / 1000);
      draw();
    }
  }
}

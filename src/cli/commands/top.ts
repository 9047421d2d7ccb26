import { emitKeypressEvents } from 'node:readline';
import type { HoumaoClient, Schemas } from '@houmao/sdk/managed-agent';
import type { Clock } from '../../foundation/clock.js';
import { sanitiseLine } from '../../foundation/text.js';
import type { AgentHost } from '../../launch/agent-host.js';
import { isCallError } from '../../protocols/agent-work.js';
import type { JsonFlag, ServerFlag } from '../flags/options.js';
import { callFailure } from '../words/call-failure.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import { interruptible, type Output, painted } from '../words/terminal-output.js';
import { topFrame, topPaints, topTable } from '../words/top/top-frame.js';
import {
  atFirst,
  type PressedKey,
  pressed,
  type TopAgent,
  type TopDeed,
  type TopState,
} from '../words/top/top-state.js';
import { clientAt, servingServers } from './server/see-servers.js';

type HostOverview = Schemas['HostOverview'];

/** The terminal that `top` draws on and reads keys from. */
export interface TopTerminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly isColoured: boolean;
}

/**
 * `top`: shows all agents of a host, redrawn as they change, until the person leaves; for programs an object per change. Where
 * there is no terminal, the agents are listed once.
 */
export async function showTop(
  flags: ServerFlag & JsonFlag,
  host: AgentHost,
  output: Output,
  terminal: TopTerminal,
): Promise<void> {
  const url = flags.server ?? (await servingServers(host))[0];
  if (url === undefined)
    throw new CommandFailure(
      'The agents are seen by a managed-agent server, and none runs here.',
      exitCodes.unreachable,
      { errorCode: 'no_server', remedies: [['start one', 'houmao-mgr server start']] },
    );
  const client = clientAt(url, flags);
  try {
    if (flags.json)
      await interruptible(async (signal) => {
        for await (const overview of client.overview({ signal })) output.object(overview);
      });
    else if (terminal.input.isTTY && terminal.output.isTTY) {
      const first = await client.getHostOverview();
      await new TopScreen(client, url, host.clock, terminal).run(first);
    } else {
      const overview = await client.getHostOverview();
      const lines = topTable(overview.agents, host.clock.now(), widthWithoutWindow);
      output.result(overview, overview.agents.length === 0 ? ['No agents.'] : lines);
    }
  } catch (error) {
    throw isCallError(error) ? callFailure(error) : error;
  }
}

/** The columns of the table where there is no window. */
const widthWithoutWindow = 160;
/** Ages change by the second. */
const tickMilliseconds = 1000;
const [enter, leave] = ['\u001b[?1049h\u001b[?25l', '\u001b[?25h\u001b[?1049l'];

/** The screen of `top`, from its first frame to its last. */
class TopScreen {
  readonly #client: HoumaoClient;
  readonly #url: string;
  readonly #clock: Clock;
  readonly #terminal: TopTerminal;
  readonly #leaving = new AbortController();
  #agents: readonly TopAgent[] = [];
  #state: TopState = atFirst;
  #isSilent = false;

  constructor(client: HoumaoClient, url: string, clock: Clock, terminal: TopTerminal) {
    this.#client = client;
    this.#url = url;
    this.#clock = clock;
    this.#terminal = terminal;
  }

  /** Resolves when the person leaves. The terminal is then as it was before. */
  async run(first: HostOverview): Promise<void> {
    const { input, output } = this.#terminal;
    const { signal } = this.#leaving;
    const stop = (): void => this.#leaving.abort();
    const draw = (): void => this.#draw();
    const press = (_text: string | undefined, key: PressedKey): void => this.#press(key);
    const restore = (): void => {
      input.setRawMode(false);
      output.write(leave);
    };
    this.#agents = first.agents;
    emitKeypressEvents(input);
    input.setRawMode(true);
    output.write(enter);
    // A fault of the program must not leave a terminal that shows nothing of what is typed.
    process.once('exit', restore);
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, stop);
    input.on('keypress', press).resume();
    output.on('resize', draw);
    const ticking = setInterval(draw, tickMilliseconds);
    try {
      draw();
      const onSilence = (): void => {
        this.#isSilent = true;
        draw();
      };
      for await (const { agents } of this.#client.overview({ after: first.version, signal, onSilence })) {
        this.#agents = agents;
        this.#isSilent = false;
        draw();
      }
    } finally {
      clearInterval(ticking);
      input.off('keypress', press).pause();
      output.off('resize', draw);
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(name, stop);
      process.off('exit', restore);
      restore();
    }
  }

  #draw(): void {
    if (this.#leaving.signal.aborted) return;
    const { output, isColoured } = this.#terminal;
    const { columns, rows } = output;
    const frame = topFrame({
      agents: this.#agents,
      state: this.#state,
      url: this.#url,
      isSilent: this.#isSilent,
      columns,
      rows,
      now: this.#clock.now(),
    });
    const lines = isColoured ? frame.map((row) => painted(row, topPaints)) : frame;
    output.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`);
  }

  #press(key: PressedKey): void {
    const { state, deed } = pressed(this.#state, key, this.#agents);
    this.#state = state;
    if (deed?.kind === 'quit') this.#leaving.abort();
    else if (deed) void this.#does(deed);
    this.#draw();
  }

  async #does(deed: Exclude<TopDeed, { kind: 'quit' }>): Promise<void> {
    let next: Partial<TopState>;
    try {
      next = await this.#outcomeOf(deed);
    } catch (error) {
      if (!isCallError(error)) throw error;
      next = { notice: sanitiseLine(error.detail) };
    }
    // A person who has gone on to something else keeps it.
    const isElsewhere = !['list', 'details'].includes(this.#state.view);
    this.#state = { ...this.#state, ...(isElsewhere ? { notice: next.notice ?? null } : next) };
    this.#draw();
  }

  async #outcomeOf(deed: Exclude<TopDeed, { kind: 'quit' }>): Promise<Partial<TopState>> {
    const agent = this.#client.agent(deed.agent.tracked_agent_id);
    switch (deed.kind) {
      case 'prompt': {
        const { turnId, requestId } = await agent.submit(deed.text);
        return { notice: requestId === null ? `Sent as ${turnId}.` : `Queued as ${requestId}.` };
      }
      case 'interrupt': {
        const turnId = deed.agent.running?.turn_id;
        const aimed = turnId === undefined ? {} : { headers: { 'X-Houmao-If-Turn': turnId } };
        const { detail } = await agent.submitAgentRequest({ body: { request_kind: 'interrupt' }, ...aimed });
        return { notice: sanitiseLine(detail) };
      }
      case 'ask': {
        const { dialog } = await agent.gateway.getDialog();
        if (dialog === null) return { notice: 'It asks nothing.' };
        if (dialog.choices.length > 0) return { view: 'answer', dialog };
        return { notice: 'This question takes keys and no number: see agents answer --help.' };
      }
      case 'answer': {
        const { dialog, choose } = deed;
        const body = { dialog_id: dialog.dialog_id, choose };
        const { outcome, detail } = await agent.gateway.answerDialog({ body });
        return { notice: outcome === 'answered' ? 'The answer has reached it.' : sanitiseLine(detail) };
      }
    }
  }
}

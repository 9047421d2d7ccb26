import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { identify, isAlive } from '../../../src/foundation/processes.js';
import type { Answer } from '../../support/http.js';
import type { StandinAgent } from '../../support/standin-agent.js';
import { eventually, heldAgent, takenPrompts } from '../recovery/evidence.js';

/** The server that serves at the moment; a story goes on when it is another one. */
type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>;

interface ReportedTurn {
  turnId: string;
  /** Without its directives. */
  words: string;
}

/** The story of one agent, and everything that a caller of the server learned of it. */
export class AgentStory {
  readonly #agent: StandinAgent;
  readonly #ask: Ask;
  readonly #reported: ReportedTurn[] = [];
  #goOn = (): void => undefined;

  constructor(agent: StandinAgent, ask: Ask) {
    this.#agent = agent;
    this.#ask = ask;
  }

  /** Prompts the agent, once it is free. @param directives of the stand-in. @returns the id of the turn. */
  async begin(words: string, directives = ''): Promise<string> {
    const prompt = `${directives} ${words}`.trim();
    const taken = this.#taken().length;
    const answer = await this.#onceFree({ request_kind: 'submit_prompt', prompt });
    expect({ words, status: answer.status, detail: answer.body.detail }).toMatchObject({ status: 200 });
    const turnId = answer.headers.get('x-houmao-turn-id') ?? '';
    expect(turnId).toMatch(/^turn-/);
    this.#reported.push({ turnId, words });
    await eventually(`the agent takes ${words}`, () => this.#taken().length > taken);
    return turnId;
  }

  /** Prompts the agent for a turn that lasts until {@link check}, whatever is done meanwhile. */
  async work(words: string): Promise<void> {
    await this.begin(words, '[[slow=1500]]');
    this.#goOn = await heldAgent(this.#agent.ledger, words);
  }

  /** Prompts and waits for the end. */
  async say(words: string): Promise<void> {
    await this.begin(words);
    await this.check();
  }

  /** Compares all that was reported with what the agent did: each turn ran once, and its record says so under its id. */
  async check(): Promise<void> {
    this.#goOn();
    this.#goOn = () => undefined;
    for (const { turnId, words } of this.#reported) {
      const { status, body } = await this.#call('GET', `/turns/${turnId}/record?wait_seconds=30`);
      expect({ status, ...body }).toMatchObject({
        status: 200,
        turn_id: turnId,
        state: 'ended',
        outcome: 'completed',
        error: null,
        delivery: { state: 'confirmed' },
        answer: { text: expect.stringContaining(`You said: ${words} (turn `) },
      });
    }
    expect(this.#taken()).toEqual(this.#reported.map(({ words }) => words));
  }

  async attach(): Promise<void> {
    const { status, body } = await this.#call('POST', '/gateway/attach', {});
    expect({ status, ...body }).toMatchObject({ status: 200, gateway_health: 'healthy' });
  }

  async detach(): Promise<void> {
    const { status, body } = await this.#call('POST', '/gateway/detach');
    expect({ status, ...body }).toMatchObject({ status: 200, gateway_health: 'not_attached' });
  }

  /** The gateway dies as at `kill -9`. A call that meets one that is just dying is answered by 503. */
  async killGateway(): Promise<void> {
    const gateway = identify(JSON.parse(readFileSync(this.#agent.paths.currentInstance, 'utf8')).pid);
    if (!gateway) throw new Error('no gateway runs');
    process.kill(gateway.pid, 'SIGKILL');
    await eventually('the gateway is gone', () => !isAlive(gateway));
  }

  async stop(): Promise<void> {
    expect((await this.#call('POST', '/stop')).status).toBe(200);
  }

  /** A terminal that was just seen first is refused as busy for a moment. */
  async #onceFree(request: object): Promise<Answer> {
    let answer = await this.#call('POST', '/requests', request);
    await expect
      .poll(async () => {
        if (answer.status === 409) answer = await this.#call('POST', '/requests', request);
        return { status: answer.status, detail: answer.body.detail };
      })
      .not.toMatchObject({ status: 409 });
    return answer;
  }

  #taken(): string[] {
    return takenPrompts(this.#agent.ledger).map(({ prompt = '' }) =>
      prompt.replaceAll(/\[\[[^\]]*\]\]/g, '').trim(),
    );
  }

  #call(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.#ask(method, `/houmao/agents/${this.#agent.name}${path}`, body);
  }
}

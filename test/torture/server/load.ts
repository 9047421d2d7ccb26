import { type Answer, call } from '../../support/http.js';
import type { StandinAgent } from '../../support/standin-agent.js';
import type { SeededRandom } from '../random.mjs';
import { sleep } from './agents.js';

// The client side: the requests of callers to the server, and the answers they got.

/** The ways in. */
const ways = ['turns', 'requests', 'gateway/requests'] as const;
type Way = (typeof ways)[number];

/** One prompt of one caller. */
export interface Submission {
  agent: StandinAgent;
  way: Way;
  key: string;
  prompt: string;
  /** Its own word in the prompt. */
  tag: string;
  /**
   * `lost`: no answer came; `unknown`: the answer said that it is not known whether the agent has it; `refused`: it surely has
   * not.
   */
  reported: 'lost' | 'unknown' | 'refused' | 'taken';
  sent: boolean;
  /** For what was taken, and for what is not known: where it can be asked for. */
  turnId: string | null;
  /** In the queue of a gateway. */
  requestId: string | null;
  /** Once it is known how it ended. */
  end: End | null;
}

export interface End {
  /** Of the turn's record; `none` for what never became a turn. */
  outcome: 'completed' | 'failed' | 'interrupted' | 'replaced' | 'none';
  delivery: string | null;
  /** Code and words. */
  error: string | null;
  answer: string | null;
}

/** A call that takes longer is itself a fault. */
const callMilliseconds = 60_000;

export class Load {
  readonly submissions: Submission[] = [];
  /** Agents that were asked to stop. */
  readonly interrupted = new Set<StandinAgent>();
  /** Answers that no caller should get. */
  readonly faults: string[] = [];
  readonly tally: Record<string, number> = {};
  readonly #random: SeededRandom;
  #serial = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** Sends work to one agent until `gone` aborts. */
  async run(url: () => string, agent: StandinAgent, gone: AbortSignal): Promise<void> {
    while (!gone.aborted) {
      await this.#act(url(), agent);
      await sleep(this.#random.between(0, 400));
    }
  }

  /** Repeats each submission whose answer was lost, with its key. */
  async settle(url: string): Promise<void> {
    for (const submission of this.submissions)
      for (let times = 0; submission.reported === 'lost' && times < 3; times += 1)
        await this.#submit(url, submission);
  }

  /** @returns null where the server went away before it had answered. */
  async ask(
    url: string,
    { name }: StandinAgent,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer | null> {
    let late: NodeJS.Timeout | undefined;
    const patience = new Promise<never>((_, reject) => {
      late = setTimeout(
        () => reject(new Error(`${name}: ${method} ${path} was not answered in ${callMilliseconds} ms`)),
        callMilliseconds,
      );
    });
    const calling = call(url, method, `/houmao/agents/${name}${path}`, body, headers).catch(() => null);
    try {
      const answer = await Promise.race([calling, patience]);
      if (answer && answer.status >= 500 && ![501, 502, 503].includes(answer.status))
        this.faults.push(`${name}: ${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer;
    } finally {
      clearTimeout(late);
    }
  }

  async #act(url: string, agent: StandinAgent): Promise<void> {
    const random = this.#random;
    if (random.chance(0.1)) return this.#interrupt(url, agent);
    if (random.chance(0.2)) return this.#note(url, agent, '/gateway/attach', {});
    if (random.chance(0.08)) return this.#note(url, agent, '/gateway/detach');
    this.#serial += 1;
    const tag = `word${this.#serial}`;
    const way = random.pick(agent.transport === 'headless' ? ways : ways.slice(1));
    const submission: Submission = {
      agent,
      way,
      tag,
      key: `torture-${this.#serial}`,
      reported: 'lost',
      sent: false,
      turnId: null,
      requestId: null,
      end: null,
      prompt: `${this.#manner(agent)} ${tag}`.trim(),
    };
    this.submissions.push(submission);
    await this.#submit(url, submission);
  }

  #manner({ transport }: StandinAgent): string {
    const plain = ['', '', '[[slow=50]]', '[[slow=300]]', '[[slow=900]]', '[[slow=2000]]'];
    const headless = ['[[exit=1]]', '[[crash]]', '[[ignore-signals]] [[slow=200]]', '[[grandchild=60000]]'];
    return this.#random.pick(transport === 'headless' ? [...plain, ...plain, ...headless] : plain);
  }

  async #interrupt(url: string, agent: StandinAgent): Promise<void> {
    this.interrupted.add(agent);
    await this.#note(url, agent, '/requests', { request_kind: 'interrupt' });
  }

  async #note(url: string, agent: StandinAgent, path: string, body?: object): Promise<void> {
    const answer = await this.ask(url, agent, 'POST', path, body);
    this.#count(`${path.split('/').at(-1)} ${answer?.status ?? 'lost'}`);
  }

  async #submit(url: string, submission: Submission): Promise<void> {
    const { agent, way, prompt, key } = submission;
    const again = submission.sent;
    submission.sent = true;
    const body = {
      turns: { prompt },
      requests: { request_kind: 'submit_prompt', prompt },
      'gateway/requests': { schema_version: 1, kind: 'submit_prompt', payload: { prompt } },
    }[way];
    const answer = await this.ask(url, agent, 'POST', `/${way}`, body, { 'Idempotency-Key': key });
    this.#count(`${way} ${answer?.status ?? 'lost'}`);
    if (!answer) return;
    const reported = reportedBy(answer);
    // Without a gateway nobody looks up what an earlier one took under the key.
    submission.reported =
      reported === 'refused' && again && way === 'gateway/requests' ? 'unknown' : reported;
    if (answer.status === 200) {
      submission.turnId = answer.body.turn_id ?? answer.headers.get('x-houmao-turn-id');
      submission.requestId =
        way === 'gateway/requests' ? answer.body.request_id : answer.headers.get('x-houmao-request-id');
    } else submission.turnId = /turn-[0-9a-f]{12}/.exec(JSON.stringify(answer.body.detail))?.[0] ?? null;
  }

  #count(what: string): void {
    this.tally[what] = (this.tally[what] ?? 0) + 1;
  }
}

/** A call that died with its gateway says that nobody knows. */
function reportedBy({ status, body }: Answer): Submission['reported'] {
  if (status === 200) return 'taken';
  const words = JSON.stringify(body.detail);
  return status === 503 && /not known|See turn/.test(words) ? 'unknown' : 'refused';
}

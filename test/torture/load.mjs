// The client side of the torture: its requests, and the answers it got. The model in check.mjs holds the gateway to
// exactly that.

/** Longest a call may take; a gateway that was killed in the middle never answers. */
const patience = 20_000;

export class Load {
  /** Every submission: `key`, `kind`, `prompt`, `sent` and, once acknowledged, `requestId` and `acknowledged`. */
  submissions = [];
  /** Direct prompts that answered "Prompt dispatched.": `prompt`, `turnId`. */
  dispatched = [];
  /** Prompts that may have reached the agent although no caller got an answer. */
  unanswered = new Set();
  cancelled = new Set();
  refused = 0;
  #random;
  #serial = 0;
  #tick = 0;

  constructor(random) {
    this.#random = random;
  }

  /** Sends work until `gone` aborts, by some clients at once. */
  async run(url, gone, count) {
    const clients = this.#random.between(1, 4);
    let left = count;
    const client = async () => {
      while (left > 0 && !gone.aborted) {
        left -= 1;
        await this.#act(url);
        await new Promise((resolve) => setTimeout(resolve, this.#random.between(0, 60)));
      }
    };
    await Promise.all([this.#sendAgain(url, gone), ...Array.from({ length: clients }, client)]);
  }

  /** Repeats every submission whose answer was lost, with its key. */
  async settle(url) {
    for (const submission of this.submissions) if (!submission.requestId) await this.#submit(url, submission);
  }

  async #sendAgain(url, gone) {
    for (const submission of this.submissions) {
      if (gone.aborted) return;
      if (!submission.requestId) await this.#submit(url, submission);
    }
  }

  async #act(url) {
    const random = this.#random;
    this.#serial += 1;
    const key = `torture-${this.#serial}`;
    if (random.chance(0.12)) return this.#submit(url, this.#note({ key, kind: 'interrupt', prompt: null }));
    if (random.chance(0.1))
      return this.#direct(url, `direct ${this.#serial} ${this.#manner()}`.trim(), random.chance(0.8));
    const submission = this.#note({
      key,
      kind: 'submit_prompt',
      prompt: `queued ${this.#serial} ${this.#manner()}`.trim(),
    });
    await this.#submit(url, submission);
    if (submission.requestId && random.chance(0.08)) await this.#cancel(url, submission);
  }

  /** How the agent will behave. */
  #manner() {
    return this.#random.pick([
      '',
      '',
      '',
      '[[slow=50]]',
      '[[slow=300]]',
      '[[slow=900]]',
      '[[grandchild=60000]]',
      '[[exit=1]]',
      '[[crash]]',
      '[[ignore-signals]] [[slow=200]]',
      '[[stderr=64]]',
    ]);
  }

  #note(submission) {
    this.submissions.push(submission);
    return submission;
  }

  async #submit(url, submission) {
    this.#tick += 1;
    submission.sent ??= this.#tick;
    const payload = submission.kind === 'interrupt' ? {} : { prompt: submission.prompt };
    const answer = await call(
      url,
      'POST',
      '/v1/requests',
      { kind: submission.kind, payload },
      { 'Idempotency-Key': submission.key },
    );
    if (!answer) return;
    // A gateway that ends cleanly says so to callers that come too late; they ask the next one.
    if (answer.status === 503 && /is stopping/.test(answer.body.detail)) return;
    if (answer.status !== 202)
      throw new Error(`${submission.key}: ${answer.status} ${JSON.stringify(answer.body)}`);
    this.#tick += 1;
    submission.acknowledged = this.#tick;
    submission.requestId = answer.body.request_id;
  }

  async #direct(url, prompt, force) {
    this.unanswered.add(prompt);
    const answer = await call(url, 'POST', '/v1/control/prompt', { prompt, force });
    if (!answer) return;
    this.unanswered.delete(prompt);
    if (answer.status === 200)
      this.dispatched.push({ prompt, turnId: answer.headers.get('x-houmao-turn-id') });
    else this.refused += 1;
  }

  async #cancel(url, submission) {
    const answer = await call(url, 'DELETE', `/v1/requests/${submission.requestId}`);
    if (answer?.status === 200) this.cancelled.add(submission.requestId);
  }
}

/** @returns null when the gateway went away before it had answered. */
export async function call(url, method, path, body, headers = {}) {
  try {
    const response = await fetch(url + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(patience),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  } catch (error) {
    if (error.name === 'TimeoutError')
      throw new Error(`${method} ${path} was not answered in ${patience} ms`);
    return null;
  }
}

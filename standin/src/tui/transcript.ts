import { randomUUID } from 'node:crypto';
import type { ToolDirective } from '../directives.js';
import type { TokenCounts } from '../result-row.js';
import { type ApiFailure, newMessageId, type Row } from '../rows.js';
import { refusedMessage, saidMessage, unfinishedMessage } from './assistant-message.js';

export interface TranscriptContext {
  sessionId: string;
  cwd: string;
  model: string;
  skipPermissions: boolean;
}

/** The origin of a prompt: the box, or the queue. */
export type PromptSource = 'typed' | 'queued';

/** Builds the rows of one conversation, with the fields of Claude Code 2.1.330; each names the row before it. */
export class Transcript {
  readonly #context: TranscriptContext;
  #parent: string | null;
  #prompts: number;
  #rows: number;
  /** The id of the prompt whose turn runs. */
  #promptId = randomUUID() as string;
  #beforePrompt: string | null = null;

  /** @param past for a conversation that is continued: its last row, and the number of its prompts. */
  constructor(context: TranscriptContext, past: { lastUuid: string | null; prompts: number }) {
    this.#context = context;
    this.#parent = past.lastUuid;
    this.#prompts = past.prompts;
    this.#rows = past.prompts * 2;
  }

  /** The number of prompts so far, without the withdrawn ones. */
  get prompts(): number {
    return this.#prompts;
  }

  prompt(content: string, source: PromptSource): Row[] {
    this.#promptId = randomUUID();
    this.#prompts += 1;
    this.#beforePrompt = this.#parent;
    const row = this.#chained({
      promptId: this.#promptId,
      type: 'user',
      message: { role: 'user', content },
      permissionMode: this.#permissionMode(),
      origin: { kind: 'human' },
      promptSource: source,
      turnOrigin: 'human',
      turnPosition: { promptIndex: this.#prompts, turnIndex: this.#prompts },
    });
    const { sessionId } = this.#context;
    const snapshot = { messageId: row.uuid, trackedFileBackups: {}, timestamp: row.timestamp };
    const before = { type: 'file-history-snapshot', messageId: row.uuid, snapshot, isSnapshotUpdate: false };
    const first = [
      { type: 'mode', mode: 'normal', sessionId },
      { type: 'permission-mode', permissionMode: this.#permissionMode(), sessionId },
    ];
    return [...(this.#beforePrompt === null ? first : []), before, row];
  }

  /** Notes that the prompt went back into the box: its row stays, and the next one takes its place in the chain. */
  withdraw(): void {
    this.#parent = this.#beforePrompt;
    this.#prompts -= 1;
  }

  answer(messageId: string, text: string, usage: TokenCounts): Row[] {
    const block = { type: 'text', text };
    return [this.#assistant(saidMessage(messageId, this.#context.model, block, 'end_turn', usage), {})];
  }

  turnEnd(durationMs: number): Row[] {
    const messageCount = this.#rows;
    return [
      this.#chained({ type: 'system', subtype: 'turn_duration', durationMs, messageCount, isMeta: false }),
    ];
  }

  apiError(failure: ApiFailure): Row[] {
    return [
      this.#chained({
        type: 'assistant',
        message: refusedMessage(failure.text),
        requestId: 'req_standin',
        error: failure.error,
        isApiErrorMessage: true,
        apiErrorStatus: failure.status,
        apiErrorType: failure.type,
        perTurnEffort: 'medium',
        failedResponseHadNoToolCall: true,
        madeBy: 'model',
        ...this.#sameId(),
      }),
    ];
  }

  /** @param partial the answer so far; null if there is none. */
  interrupted(messageId: string, partial: string | null): Row[] {
    const message = unfinishedMessage(messageId, this.#context.model, partial ?? '');
    const said = partial === null ? [] : [this.#assistant(message, { isAbortedMidStream: true })];
    return [...said, this.#note('[Request interrupted by user]', { interruptedMessageId: messageId })];
  }

  toolCall(tool: ToolDirective, id: string): Row[] {
    const { name, input } = tool;
    const { sessionId, model } = this.#context;
    const call = { type: 'tool_use', id, name, input };
    const message = saidMessage(newMessageId(), model, call, 'tool_use', { input: 1, output: 5 });
    return [
      { type: 'tools-used', tools: [name], sessionId },
      this.#assistant(message, { toolInputStreamMs: 1 }),
    ];
  }

  toolResult(id: string, output: string, asked: boolean): Row[] {
    const block = { tool_use_id: id, type: 'tool_result', content: output, is_error: false };
    const result = {
      stdout: output,
      stderr: '',
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
    };
    const source = asked
      ? { source: 'user_temporary', grantScope: 'once', reasonCode: 'unknown' }
      : { source: 'config', reasonType: 'rule', ruleSource: 'cliArg' };
    const permissionDecision = { decision: 'accept', ...source };
    const more = { toolUseResult: result, sandboxed: false, permissionDecision };
    return [this.#user(block, { ...more, sourceToolAssistantUUID: this.#parent })];
  }

  toolDenied(id: string): Row[] {
    const content = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    const block = { type: 'tool_result', content, is_error: true, tool_use_id: id };
    const denial = { toolDenialKind: 'user-rejected', toolDenialBeforeRun: true };
    const more = { toolUseResult: 'User rejected tool use', ...denial };
    return [
      this.#user(block, { ...more, sourceToolAssistantUUID: this.#parent }),
      this.#note('[Request interrupted by user for tool use]', {}),
    ];
  }

  enqueued(content: string): Row[] {
    return [this.#queueOperation('enqueue', { content })];
  }

  dequeued(): Row[] {
    return [this.#queueOperation('dequeue', {})];
  }

  /** Builds the row of a queue that the person took back into the box. */
  popped(content: string): Row[] {
    return [this.#queueOperation('popAll', { content })];
  }

  /** Builds the rows of a queued prompt that the running turn read; it gets no user row. */
  absorbed(content: string): Row[] {
    const [commandUuid, deliveryId] = [randomUUID(), randomUUID()];
    const attachment = {
      type: 'queued_command',
      prompt: content,
      source_uuid: commandUuid,
      delivery_id: deliveryId,
      commandMode: 'prompt',
      origin: { kind: 'human' },
      humanTurn: true,
    };
    return [
      this.#queueOperation('remove', { content, reason: 'absorbed_mid_turn', commandUuid, deliveryId }),
      this.#chained({
        attachment,
        type: 'attachment',
        rendered: [],
        renderedRole: 'system',
        ...this.#sameId(),
      }),
    ];
  }

  /** Builds the first rows of a conversation that a command began. */
  startedBy(name: string): Row[] {
    const command = `<command-name>/${name}</command-name>\n            <command-message>${name}</command-message>\n            <command-args></command-args>`;
    return [
      this.#chained({ type: 'user', message: { role: 'user', content: command } }),
      this.#chained({
        type: 'system',
        subtype: 'local_command',
        content: '<local-command-stdout></local-command-stdout>',
        level: 'info',
        isMeta: false,
      }),
    ];
  }

  /** Builds the row of a prompt that a hook refused. */
  refused(prompt: string, reason: string): Row[] {
    const content = `UserPromptSubmit operation blocked by hook:\n${reason}\n\nOriginal prompt: ${prompt}`;
    const row = { type: 'system', subtype: 'informational', content, isMeta: false, level: 'warning' };
    const promptSubmitEnding = { ending: { kind: 'blocked_by_hook', reason }, promptKept: false };
    return [this.#chained({ ...row, preventContinuation: true, promptSubmitEnding })];
  }

  unknownCommand(name: string): Row[] {
    const content = `Unknown command: /${name}`;
    return [
      this.#chained({ type: 'system', subtype: 'informational', content, isMeta: false, level: 'warning' }),
    ];
  }

  #assistant(message: Row, more: Row): Row {
    const effort = { effort: 'medium', perTurnEffort: 'medium', madeBy: 'model' };
    return this.#chained({
      message,
      apiBlockIndex: 0,
      requestRef: randomUUID(),
      requestedModel: this.#context.model,
      promptCacheRequested: '5m',
      type: 'assistant',
      ...more,
      ...effort,
      ...this.#sameId(),
    });
  }

  #user(block: Row, more: Row): Row {
    const message = { role: 'user', content: [block] };
    return this.#chained({ promptId: this.#promptId, type: 'user', message, ...more, ...this.#sameId() });
  }

  #note(text: string, more: Row): Row {
    return this.#user({ type: 'text', text }, more);
  }

  #queueOperation(operation: string, more: Row): Row {
    const { sessionId } = this.#context;
    return { type: 'queue-operation', operation, timestamp: new Date().toISOString(), sessionId, ...more };
  }

  #chained(row: Row): Row & { uuid: string; timestamp: string } {
    const uuid = randomUUID();
    const parentUuid = this.#parent;
    this.#parent = uuid;
    this.#rows += 1;
    const { cwd, sessionId } = this.#context;
    return {
      parentUuid,
      isSidechain: false,
      ...row,
      uuid,
      timestamp: new Date().toISOString(),
      userType: 'external',
      entrypoint: 'cli',
      cwd,
      sessionId,
      version: '2.1.330',
      gitBranch: 'HEAD',
    };
  }

  /** Returns the second field with the conversation's id, which rows of a turn have. */
  #sameId(): Row {
    return { session_id: this.#context.sessionId };
  }

  #permissionMode(): string {
    return this.#context.skipPermissions ? 'bypassPermissions' : 'default';
  }
}

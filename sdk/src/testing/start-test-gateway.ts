import * as platform from '#test-gateway';
import type { StartTestGateway } from './test-gateway/test-gateway.js';

/**
 * Starts a real gateway with the stand-in agent, which behaves like Claude Code and needs no account, in a temporary folder. It
 * needs the package `houmao`, built, and Node. The agent's answers name the prompt; directives in a prompt make it
 * slow, make it fail and so on (`node dist/programs/standin-agent.js --help` in that package).
 *
 * Rejects with an Error that says what is missing, or with the gateway's output when it did not start.
 *
 * @example
 * ```ts
 * await using gateway = await startTestGateway({ houmao: '/path/to/houmao-gateway' });
 * console.log(await createGatewayClient(gateway).prompt('Hello'));
 * ```
 */
export const startTestGateway: StartTestGateway = (options) => platform.startTestGateway(options);

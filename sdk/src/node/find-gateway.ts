import { createGatewayClient, isGatewayError } from '../gateway/gateway-client.js';
import { gatewayToken, type PublishedAgent, publishedGateway } from './registry.js';

/** The result of a check for the gateway of an agent; `detail` is a sentence. */
export type GatewaySight =
  | { readonly state: 'serving'; readonly baseUrl: string; readonly token: string | null }
  /** The gateway answers, but refuses this caller. */
  | { readonly state: 'refusing'; readonly detail: string }
  /** A gateway has published itself, but another server answers there, or none. */
  | { readonly state: 'silent'; readonly detail: string }
  /** No gateway has published itself. */
  | { readonly state: 'absent' };

const lookMilliseconds = 2000;

/** Calls the port that the session's gateway has published: by now another gateway may have it. */
export async function lookForGateway({
  sessionRoot,
  tmuxSessionName,
}: Pick<PublishedAgent, 'sessionRoot' | 'tmuxSessionName'>): Promise<GatewaySight> {
  const published = await publishedGateway(sessionRoot);
  if (published === null) return { state: 'absent' };
  const baseUrl = `http://127.0.0.1:${published.port}`;
  const token = await gatewayToken(sessionRoot);
  const client = createGatewayClient({
    baseUrl,
    token: token ?? undefined,
    timeoutMs: lookMilliseconds,
    maxRetries: 0,
  });
  try {
    const { tmux_session_name: theirs } = await client.getStatus();
    if (tmuxSessionName === null || theirs === tmuxSessionName) return { state: 'serving', baseUrl, token };
    return { state: 'silent', detail: `the gateway of another agent answers at ${baseUrl}` };
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    const detail = error.detail.replace(/\.$/, '');
    return { state: error.status === 401 || error.status === 403 ? 'refusing' : 'silent', detail };
  }
}

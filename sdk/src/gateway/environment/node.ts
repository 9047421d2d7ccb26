import { nodeEnvironment } from '../../core/node-environment.js';
import { gatewayToken, publishedGateway, readRegistry, registryRoot } from '../../node/registry.js';

/** Returns the token of the agent of this machine whose gateway has that port; null when it cannot be read. */
async function tokenOfGateway(port: number): Promise<string | null> {
  const { records } = await readRegistry(registryRoot(), new Date());
  for (const { sessionRoot } of records) {
    if ((await publishedGateway(sessionRoot))?.port !== port) continue;
    const token = await gatewayToken(sessionRoot);
    if (token !== null) return token;
  }
  return null;
}

export const environment = nodeEnvironment('HOUMAO_GATEWAY_TOKEN', tokenOfGateway);

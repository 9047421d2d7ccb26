import { expect, test } from 'vitest';
import { agentEnvironment, usualToolHome } from '../../../../src/agent/local/agent-place.js';
import { checkLaunch } from '../../../../src/launch/check-launch.js';
import { newManifest } from '../../../../src/launch/new-manifest.js';
import { sessionPaths } from '../../../../src/session/session-paths.js';
import { toolAdapter, toolNames } from '../../../../src/tools/tool-registry.js';
import { hostIn, wishFor } from '../../../support/launch-host.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

test.each(toolNames)('%s is told of a home of its own, and never of the one it uses anyway', (tool) => {
  const HOME = temporaryFolder();
  const { homeEnvVar } = toolAdapter(tool);
  const told = (homePath: string, recorded: Record<string, string> = {}) => {
    const request = checkLaunch(wishFor('x', HOME, { tool, homePath }), hostIn(HOME));
    const manifest = newManifest(request, {
      sessionId: 's',
      agentDefinition: '/d',
      brainPath: '/b',
      now: new Date(),
      version: null,
      mailbox: null,
    });
    return agentEnvironment(manifest, sessionPaths('/s'), { HOME, ...recorded }, {})[homeEnvVar];
  };
  const usual = usualToolHome(tool, HOME);
  expect([told('/its/own'), told(usual), told(`${usual}/`)]).toEqual(['/its/own', undefined, undefined]);
  // The user has set it so.
  expect(told(usual, { [homeEnvVar]: usual })).toBe(usual);
});

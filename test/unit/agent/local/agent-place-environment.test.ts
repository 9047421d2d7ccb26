import { expect, test } from 'vitest';
import { agentEnvironment, usualToolHome } from '../../../../src/agent/local/agent-place.js';
import { checkLaunch } from '../../../../src/launch/check-launch.js';
import { newManifest } from '../../../../src/launch/new-manifest.js';
import { sessionPaths } from '../../../../src/session/session-paths.js';
import { toolAdapter, toolNames } from '../../../../src/tools/tool-registry.js';
import { hostIn, requestFor } from '../../../support/launch-host.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

test.each(toolNames)('%s gets the variable of a home of its own, and never of its usual one', (tool) => {
  const HOME = temporaryFolder();
  const { homeEnvVar } = toolAdapter(tool);
  const reported = (homePath: string, recorded: Record<string, string> = {}) => {
    const request = checkLaunch(requestFor('x', HOME, { tool, homePath }), hostIn(HOME));
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
  expect([reported('/its/own'), reported(usual), reported(`${usual}/`)]).toEqual([
    '/its/own',
    undefined,
    undefined,
  ]);
  // The user has set it so.
  expect(reported(usual, { [homeEnvVar]: usual })).toBe(usual);
});

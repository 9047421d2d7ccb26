import { currentInstanceFile } from '../../session/current-instance.js';
import type { SessionPaths } from '../../session/session-paths.js';
import { firstEpoch } from './epoch.js';
import type { EpochRecord } from './epoch-table.js';

/** The first epoch when the queue has no record of its own yet: the one that an earlier gateway published. */
export function publishedEpoch(paths: SessionPaths): EpochRecord {
  const published = currentInstanceFile.readIfUsable(paths.currentInstance);
  return firstEpoch(
    published && {
      epoch: published.managed_agent_instance_epoch,
      instanceId: published.managed_agent_instance_id,
    },
  );
}

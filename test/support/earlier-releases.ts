import { execFileSync } from 'node:child_process';

/** A release of the project before this one. */
export interface Release {
  /** Such as `0.1.0`. */
  readonly version: string;
  readonly commit: string;
}

/** 0.1.0 has no tag: it was a checkout that one built, and no package. */
const first: Release = { version: '0.1.0', commit: '678c40345e9de66eeaa79141b81242e837e0e4b2' };

/**
 * The releases before this one, the highest version first: those of the tags such as v1.2.3 in the history of HEAD that are not HEAD's
 * own, and 0.1.0.
 *
 * @throws Error where the history is not there, as in a shallow clone
 */
export function earlierReleases(): readonly Release[] {
  const tags = git('tag', '--list', 'v*', '--merged', 'HEAD~1', '--sort=-version:refname').split('\n');
  const tagged = tags
    .filter((tag) => /^v\d+\.\d+\.\d+$/.test(tag))
    .map((tag) => ({ version: tag.slice(1), commit: git('rev-parse', `${tag}^{commit}`) }));
  return tagged.some(({ version }) => version === first.version) ? tagged : [...tagged, first];
}

/** The text of a file of a release. */
export const fileOf = ({ commit }: Release, path: string): string => git('show', `${commit}:${path}`);

/**
 * Unpacks a release into a folder that is there.
 *
 * @param paths the files and folders of it that are wanted; left out, all
 */
export function unpackRelease({ commit }: Release, folder: string, paths: readonly string[] = []): void {
  const archive = execFileSync('git', ['archive', commit, ...paths], { maxBuffer: 2 ** 28 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
}

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();

import type { Manifest } from './manifest-schema.js';

const styles = ['plain', 'json', 'fancy'] as const;
const details = ['concise', 'detail'] as const;

/** How the turns of a headless agent are shown in its pane. */
export interface HeadlessDisplay {
  style: (typeof styles)[number];
  detail: (typeof details)[number];
}

export const usualDisplay: HeadlessDisplay = { style: 'plain', detail: 'concise' };

/** Pure: what the launch asked for. What is not known is as if nothing had been. */
export function headlessDisplayOf({ launch_plan }: Pick<Manifest, 'launch_plan'>): HeadlessDisplay {
  const metadata = launch_plan.metadata as Record<string, unknown>;
  return {
    style: styles.find((style) => style === metadata.headless_display_style) ?? usualDisplay.style,
    detail: details.find((detail) => detail === metadata.headless_display_detail) ?? usualDisplay.detail,
  };
}

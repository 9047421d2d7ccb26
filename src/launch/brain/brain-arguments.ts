import type { UnusableFile } from '../../foundation/unusable-file.js';

interface Override {
  args?: { mode: 'append' | 'replace'; values: readonly string[] } | null | undefined;
  tool_params?: object | null | undefined;
}

/** The part of a launch contract that says which arguments every turn gets. */
export interface ArgumentContract {
  adapter_defaults?:
    | { args?: readonly string[] | null | undefined; tool_params?: object | null | undefined }
    | null
    | undefined;
  requested_overrides?:
    | { preset?: Override | null | undefined; direct?: Override | null | undefined }
    | null
    | undefined;
}

/**
 * Pure: the defaults of the adapter, then what the preset adds or puts in their place, then what was asked for directly.
 * @throws what `fault` makes, for parameters that would have to be translated into arguments: to pass them over would start
 *   another agent than was described.
 */
export function argumentsOf(
  { adapter_defaults, requested_overrides }: ArgumentContract,
  fault: (reason: string) => UnusableFile,
): string[] {
  const layers = [
    ['adapter_defaults', adapter_defaults],
    ['requested_overrides/preset', requested_overrides?.preset],
    ['requested_overrides/direct', requested_overrides?.direct],
  ] as const;
  for (const [name, layer] of layers)
    if (Object.keys(layer?.tool_params ?? {}).length > 0)
      throw fault(
        `field /runtime/launch_contract/${name}/tool_params: parameters are not supported; write them as args`,
      );
  const overrides = [requested_overrides?.preset?.args, requested_overrides?.direct?.args];
  return overrides.reduce<string[]>(
    (before, override) =>
      override ? [...(override.mode === 'append' ? before : []), ...override.values] : before,
    [...(adapter_defaults?.args ?? [])],
  );
}

// The hosts of the fleet, of which one chooses whose agents are listed.
import { outsideWords, presenceWords, type SeenFleet } from './hosts.js';

export interface HostChooserProps {
  readonly fleet: SeenFleet;
  /** The name of the chosen host; null for all. */
  readonly chosen: string | null;
  readonly hrefOf: (host: string | null) => string;
  readonly now: number;
}

export function HostChooser({ fleet: { hosts, readAt }, chosen, hrefOf, now }: HostChooserProps) {
  const current = (host: string | null) => (host === chosen ? 'true' : undefined);
  return (
    <nav class="hosts" aria-label="Hosts">
      <ul>
        <li>
          <a href={hrefOf(null)} aria-current={current(null)}>
            <strong>All hosts</strong>
          </a>
        </li>
        {hosts.map((one) => (
          <li key={one.host}>
            <a href={hrefOf(one.host)} aria-current={current(one.host)} title={one.address}>
              <strong>{one.host}</strong>
              {one.is_this && <small>this host</small>}
              <span class={`presence ${one.presence}`}>{presenceWords(one, readAt, now)}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Says since when and why this host is not in its fleet. */
export function OutsideFleet({ fleet, now }: { fleet: SeenFleet; now: number }) {
  const words = outsideWords(fleet.status, now);
  if (words === null) return null;
  return (
    <p class="problem" role="alert">
      {words}
    </p>
  );
}

/** A point in time on both clocks. */
export interface Moment {
  /** Milliseconds of a monotonic clock; only differences are meaningful. */
  at: number;
  date: Date;
}

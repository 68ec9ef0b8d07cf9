/** What a request costs: the seats that it takes, and those that its events take after it (KEP-1040). */

export interface WorkEstimate {
  /** While it is served. */
  readonly seats: number;
  /** Behind it, for `extraMs`: what its events cost those that watch. 0: nothing. */
  readonly finalSeats: number;
  readonly extraMs: number;
}

/** Most requests, and all of them before sizes counted. */
export const oneSeat: WorkEstimate = { seats: 1, finalSeats: 0, extraMs: 0 };

/** Seats that a request holds from its begin to the end of its events. */
export function widthOf({ seats, finalSeats }: WorkEstimate): number {
  return Math.max(seats, finalSeats);
}

/** The same work behind the request on at most so many seats: for longer. */
export function narrowed(work: WorkEstimate, most: number): WorkEstimate {
  const { seats, finalSeats, extraMs } = work;
  if (finalSeats <= most) return work;
  return { seats, finalSeats: most, extraMs: (finalSeats * extraMs) / most };
}

/** How much work the validation of one object may be. */

/** A visit of a small value takes 30 to 200 ns; a body of 3 MB holds some 200,000 small members. */
const maxSteps = 2_000_000;
/** More take milliseconds. */
const longSteps = 20_000;

/** Counts the steps of one validation. */
export class StepBudget {
  private left = maxSteps;
  private onLong: (() => void) | undefined;

  /** @param onLong called once, when so much was spent that the rest may take long; may throw */
  constructor(onLong?: () => void) {
    this.onLong = onLong;
  }

  /** @throws StepsExceeded once more was spent than there was */
  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new StepsExceeded();
    if (this.onLong && this.left < maxSteps - longSteps) this.tell(this.onLong);
  }

  private tell(onLong: () => void): void {
    this.onLong = undefined;
    onLong();
  }
}

/** Validation of the object ends here; the message is for the client. */
export class StepsExceeded extends Error {
  constructor() {
    super(
      `validation by the schema takes more than ${String(maxSteps)} steps: store less in one object, or give the schema fewer alternatives`,
    );
    this.name = 'StepsExceeded';
  }
}

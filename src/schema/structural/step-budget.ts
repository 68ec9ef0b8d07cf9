/** How much work the validation of one object may be. */

/** A visit of a small value takes a tenth of a microsecond to one; a body of 3 MB has room for 1.5 million values. */
const maxSteps = 4_000_000;

/** Counts the steps of one validation. */
export class StepBudget {
  private left = maxSteps;

  /** @throws StepsExceeded once more was spent than there was */
  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new StepsExceeded();
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

/**
 * Webhooks answer a write with so much, or admission makes it so large or has so much to compare, that it would hold the thread:
 * it begins again where large writes are carried out.
 */
export class GrownWrite extends Error {
  constructor() {
    super('admission made the write a large one');
    this.name = 'GrownWrite';
  }
}

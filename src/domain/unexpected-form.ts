/** The fault of an upstream whose response is JSON, but not what its route gives. */
export class UnexpectedForm extends Error {}

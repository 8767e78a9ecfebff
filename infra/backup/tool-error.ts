/** A reason to stop that says all there is to know: no stack trace belongs to it. */
export class ToolError extends Error {}

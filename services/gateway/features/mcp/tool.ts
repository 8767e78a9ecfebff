import type { Static, TObject } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { errors } from '../../../../shared/errors.ts';
import type { McpOperation } from './operations.ts';
import type { ToolCall } from './tool-call.ts';

/** The effect of a tool's call, for hosts that ask their user before some of them. */
export type Effect = 'reads' | 'creates' | 'changes' | 'removes';

/** A tool as `tools/list` tells it, and how it is called. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  effect: Effect;
  /** The operations that its call consists of. */
  operations: McpOperation[];
  input: TObject;
  output: TObject;
  /** @throws VALIDATION_FAILED for arguments that do not fit `input`; what its operations throw */
  run(call: ToolCall, given: unknown): Promise<object>;
}

interface ToolDefinition<Input extends TObject> extends Omit<Tool, 'input' | 'run'> {
  input: Input;
  run(call: ToolCall, given: Static<Input>): Promise<object>;
}

/** A tool whose arguments are checked before its call. */
export const defineTool = <Input extends TObject>(definition: ToolDefinition<Input>): Tool => ({
  ...definition,
  async run(call, given) {
    const { input } = definition;
    if (!Value.Check(input, given)) throw errors.validationFailed(issuesOf(input, given));
    return await definition.run(call, given);
  },
});

/** Enough to correct a call by. */
const MOST_ISSUES = 5;

function issuesOf(input: TObject, given: unknown) {
  const names = Object.keys(input.properties).join(', ');
  const issues: Array<{ field: string; message: string }> = [];
  for (const { path, message, schema } of Value.Errors(input, given)) {
    const field = path.slice(1, 100) || 'arguments';
    if (issues.some((issue) => issue.field === field)) continue;
    const allowed = Array.isArray(schema.anyOf)
      ? schema.anyOf.map((one: { const?: unknown }) => one.const).join(', ')
      : '';
    issues.push({
      field,
      message:
        message === 'Unexpected property'
          ? `is not an argument of this tool, which has ${names}.`
          : allowed === ''
            ? `is wrong: ${message.toLowerCase()}.`
            : `must be one of ${allowed}.`,
    });
    if (issues.length === MOST_ISSUES) break;
  }
  return issues;
}

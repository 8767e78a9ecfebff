import { hasCode } from './atomic-file.ts';
import { Call, type Command, VERSION } from './call.ts';
import { DOMAIN } from './commands/domain.ts';
import { GET } from './commands/get.ts';
import { LS, OPEN, RENEW, RM } from './commands/items.ts';
import { KV } from './commands/kv.ts';
import { PUBLISH, UPDATE } from './commands/publish.ts';
import { TOKEN } from './commands/token.ts';
import { readSettings } from './environment.ts';
import { CommandError } from './failures.ts';
import { completionFor, helpOf, helpOfCommand } from './help.ts';
import { Output } from './output.ts';

const COMMANDS: readonly Command[] = [PUBLISH, UPDATE, GET, LS, RM, RENEW, KV, DOMAIN, OPEN, TOKEN];

/** Runs a command line; resolves to its exit code. */
async function run([name, ...argv]: string[]): Promise<number> {
  const before = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined);
  const plain = new Output({ json: before.includes('--json'), quiet: false });
  try {
    const print = (text: string): number => {
      process.stdout.write(`${text}\n`);
      return 0;
    };
    if (name === undefined || name === 'help' || name === '--help' || name === '-h')
      return print(helpOf(COMMANDS));
    if (name === '--version' || name === '-v') return print(VERSION);
    if (name === 'completion') return print(completion(argv));
    const command = COMMANDS.find((one) => one.name === name);
    if (command === undefined) throw new CommandError(withoutCommand(name));
    const call = new Call(argv, command.options, readSettings());
    if (call.has('help')) return print(helpOfCommand(command));
    await command.run(call);
    return 0;
  } catch (error) {
    return plain.failure(error);
  }
}

function withoutCommand(name: string): string {
  if (!name.startsWith('-')) return `There is no command "${name}". See perch --help.`;
  const [option] = name.split('=');
  return `Options come behind the command: perch COMMAND ${option} … See perch --help.`;
}

function completion([shell, ...rest]: string[]): string {
  if ((shell !== 'bash' && shell !== 'zsh') || rest.length > 0)
    throw new CommandError('Usage: perch completion bash|zsh');
  return completionFor(shell, COMMANDS).trimEnd();
}

process.stdout.on('error', (error) => {
  // The reader of the pipe, such as `head`, has closed it.
  if (hasCode(error, 'EPIPE')) process.exit(0);
  process.stderr.write(`perch: The result could not be written: ${error.message}\n`);
  process.exit(1);
});
process.exitCode = await run(process.argv.slice(2));

import { readFileSync } from 'node:fs';

/** A step of a stage that puts something into the image. */
export type ImageStep =
  | { kind: 'copy'; from: string | null; owner: string | null; sources: string[]; target: string }
  | { kind: 'run'; command: string }
  | { kind: 'workdir'; path: string };

export interface ImageStage {
  base: string;
  name: string;
  steps: ImageStep[];
  env: Record<string, string>;
  user: string | null;
  entrypoint: string[];
  command: string[];
  healthcheck: string[];
}

/**
 * The stages of a Dockerfile, in its order.
 * @throws Error for an instruction or a form of one that is not known here, rather than pass over it
 */
export function readImageFile(path: string): ImageStage[] {
  const stages: ImageStage[] = [];
  const lines = readFileSync(path, 'utf8').replaceAll(/\\\n/g, ' ').split('\n');
  for (const line of lines.map((text) => text.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const [, word = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    if (word === 'FROM') stages.push(stageFrom(rest, stages.length));
    else addInstruction(stages.at(-1), word, rest);
  }
  return stages;
}

function stageFrom(text: string, index: number): ImageStage {
  const [base = '', , name = String(index)] = text.split(/\s+/);
  const nothing = { env: {}, user: null, entrypoint: [], command: [], healthcheck: [] };
  return { base, name, steps: [], ...nothing };
}

function addInstruction(stage: ImageStage | undefined, word: string, text: string): void {
  if (stage === undefined) throw new Error(`${word} before FROM`);
  switch (word) {
    case 'COPY':
      stage.steps.push(copyStep(text));
      return;
    case 'RUN':
      stage.steps.push({ kind: 'run', command: text });
      return;
    case 'WORKDIR':
      stage.steps.push({ kind: 'workdir', path: text });
      return;
    case 'ENV':
      for (const [, name = '', value = ''] of text.matchAll(/(\w+)=(\S+)/g)) stage.env[name] = value;
      return;
    case 'USER':
      stage.user = text;
      return;
    case 'ENTRYPOINT':
      stage.entrypoint = JSON.parse(text);
      return;
    case 'CMD':
      stage.command = JSON.parse(text);
      return;
    case 'HEALTHCHECK':
      stage.healthcheck = JSON.parse(text.replace(/^CMD /, ''));
      return;
    case 'EXPOSE':
      return;
    default:
      throw new Error(`an instruction that is not known here: ${word}`);
  }
}

function copyStep(text: string): ImageStep {
  const words = text.split(/\s+/);
  const option = (name: string) =>
    words.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? null;
  const paths = words.filter((word) => !word.startsWith('--'));
  return {
    kind: 'copy',
    from: option('from'),
    owner: option('chown'),
    sources: paths.slice(0, -1),
    target: paths.at(-1) ?? '',
  };
}

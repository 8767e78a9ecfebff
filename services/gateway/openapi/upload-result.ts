import { type TSchema, Type } from '@sinclair/typebox';
import { answer } from './schema-parts.ts';

const oneOf = (values: string[], description: string): TSchema =>
  Type.Unsafe({ type: 'string', enum: values, description });

/** How the upload of a page or a site went (specification 3.7). */
export const UPLOAD_RESULT: Record<string, TSchema> = {
  UploadResult: answer('How an upload went.', {
    code: oneOf(['success', 'duplicate', 'warned', 'failed'], 'In a word.'),
    action: oneOf(
      ['created', 'created_missing_assets', 'updated', 'merged', 'created_warned', 'rejected'],
      'And what was done.',
    ),
    reason: Type.Optional(Type.String({ description: 'Why it is no plain success, and what to do.' })),
    extras: Type.Optional(
      answer('What belongs to the reason.', {
        isOwner: Type.Optional(Type.Boolean({ description: 'Whether the item that was there is yours.' })),
        localAssetRefs: Type.Optional(
          Type.Array(Type.String(), {
            maxItems: 50,
            description: 'The files that the page asks for, as it names them.',
          }),
        ),
        rootRefs: Type.Optional(
          Type.Array(Type.String(), {
            maxItems: 50,
            description: 'Addresses in the site that begin at the root of the host, where the site is not.',
          }),
        ),
        storage: Type.Optional(
          Type.Array(Type.String(), {
            maxItems: 50,
            description:
              'Files of the site that use storage of the browser, which hosted sites have none of.',
          }),
        ),
      }),
    ),
  }),
};

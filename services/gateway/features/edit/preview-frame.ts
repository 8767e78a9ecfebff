import { html } from '../../../../shared/pages/html.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { framePolicy } from '../../pages/service-page.ts';
import { assetAddress } from '../../web/assets.ts';
import { textsIn } from '../../web/texts/texts.ts';

/**
 * The page in the frame of a preview. Its policy gives it an origin of nobody's, like hosted content, and only pages of this
 * service can frame it; its script shows what they send.
 */
export function previewFrame({ request, language }: RequestContext): Response {
  const page = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>${textsIn(language).editing.preview}</title>
<script type="module" src="${assetAddress('preview-frame.js')}"></script>
</head>
<body></body>
</html>
`;
  return new Response(page.toString(), {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': framePolicy(request.headers.get('host')),
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
      Vary: 'Accept, Sec-Fetch-Dest, Accept-Language, Cookie',
    },
  });
}

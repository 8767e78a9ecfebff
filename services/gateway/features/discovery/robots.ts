/**
 * What crawlers are asked to leave alone (RFC 9309): the API, and short links, which lead to addresses that they find
 * anyway and that should be known by their own name.
 */
export const robotsFile = (baseUrl: string): string => `User-agent: *
Disallow: /api/
Disallow: /s/
Disallow: /report
Allow: /

Sitemap: ${baseUrl}/sitemap.xml
`;

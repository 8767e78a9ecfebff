// Made from the OpenAPI document by `npm run clients:types`; a test compares the two. Do not edit.

export interface paths {
    "/api/{ns}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete an item of any kind */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It is gone. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/{ns}/{id}/domain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The domain of an item */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description For its owner alone. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Domain"];
                    };
                };
            };
        };
        /** Serve an item at a domain of your own */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DomainClaim"];
                };
            };
            responses: {
                /** @description The domain as it stands now. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Domain"];
                    };
                };
            };
        };
        post?: never;
        /** Take the domain away from an item */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It is gone. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/{ns}/{id}/owner-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether a token owns an item */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Whose it is. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OwnerCheck"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/{ns}/{id}/renew": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Renew an item */
        post: {
            parameters: {
                query?: {
                    /** @description Days from now until the item is deleted, 1 to 30; also as `7d` or `7 days`. When omitted, as many as it was given last. Also `ttlDays` and `ttl_days`. */
                    ttl?: number | string;
                };
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            /** @description The same as the query, which wins. */
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["Renewal"];
                };
            };
            responses: {
                /** @description When it will be deleted now. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Renewed"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/{ns}/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An item's views over time */
        get: {
            parameters: {
                query?: {
                    /** @description How many days, today (UTC) being the last. */
                    days?: number;
                };
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The views. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ItemStats"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/{ns}/{id}/unlock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Open an item with a password in a browser */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/x-www-form-urlencoded": {
                        password: string;
                        /** @description Where in the item to go then: a path below its own, and a query. */
                        to?: string;
                    };
                };
            };
            responses: never;
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your files */
        get: {
            parameters: {
                query?: {
                    /** @description Of which namespace. */
                    ns?: string;
                    /** @description Which page of the list, from 1. */
                    page?: number;
                    /** @description Items on a page. When neither this nor `page` is given, the list comes whole. */
                    size?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description What your token owns in the namespace, newest first; nothing without a token. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FileList"];
                    };
                };
            };
        };
        put?: never;
        /** Upload a file */
        post: {
            parameters: {
                query?: {
                    /** @description Names the file instead of the name of its part, without a path. The extension counts. */
                    filename?: string;
                    /** @description The item's id. When omitted, ten random characters. */
                    id?: string;
                    /** @description Where to put the item; created at first use. `public` is shared by everybody and listed. Some names are reserved. Also `namespace`. */
                    ns?: string;
                    /** @description Up to 20 tags of 1 to 50 characters, separated by commas; may be repeated. Trimmed, lower-cased and de-duplicated. */
                    tags?: string[];
                    /** @description How the item is named. */
                    title?: string;
                    /** @description Days until the item is deleted, 1 to 30; also as `7d` or `7 days`. Also `ttlDays` and `ttl_days`. */
                    ttl?: number | string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "multipart/form-data": {
                        file: string;
                        /** @description Names the file instead of the name of its part, without a path; before the file. */
                        filename?: string;
                        id?: string;
                        ns?: string;
                        password?: string;
                        /** @description Separated by commas. */
                        tags?: string;
                        title?: string;
                        /** @description Days, as `7`, `7d` or `7 days`. */
                        ttl?: string;
                    };
                };
            };
            responses: {
                /** @description It is there. With `Accept: text/plain` preferred over JSON, the body is its address alone and the token comes in `X-Owner-Token`. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FileCreated"];
                        "text/plain": string;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/files/{ns}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download a file */
        get: {
            parameters: {
                query?: {
                    /** @description As a download. Set by `true`, `1`, `yes` in any case, or by no value; any other word counts as left out. */
                    dl?: string;
                };
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The file. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "*/*": unknown;
                    };
                };
                /** @description The part that `Range` asks for. Of several parts the answer is the whole, with 200. */
                206: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "*/*": unknown;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete a file */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It is gone. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/files/{ns}/{id}/hosting": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where a file is served */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description For its owner alone. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Hosting"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change where a file is served */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["HostingChange"];
                };
            };
            responses: {
                /** @description It is served there now. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Hosting"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/gallery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The gallery */
        get: {
            parameters: {
                query?: {
                    /** @description Items of this kind only. */
                    kind?: "html" | "json" | "kv" | "file" | "site";
                    /** @description What your owner token owns, of every namespace, in place of what is listed. Set by `true`, `1`, `yes` in any case, or by no value; any other word counts as left out. */
                    mine?: string;
                    /** @description Which page of the list, from 1. */
                    page?: number;
                    /** @description Words that title and tags must have, in any order: upper and lower case and accents make no difference, and the last word may be the beginning of one. Also `"a phrase"`, `-not`, `this or that`. Also `search`. */
                    q?: string;
                    /** @description Items on a page. Also `limit`. */
                    size?: number;
                    /** @description Newest first, or most viewed first. Of a search the best finds come first; this orders equally good ones. */
                    sort?: "date" | "views";
                    /** @description Items with this tag only. */
                    tag?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of the gallery. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["GalleryPage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/gallery/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Files of the gallery */
        get: {
            parameters: {
                query?: {
                    /** @description What your owner token owns, of every namespace, in place of what is listed. Set by `true`, `1`, `yes` in any case, or by no value; any other word counts as left out. */
                    mine?: string;
                    /** @description Which page of the list, from 1. */
                    page?: number;
                    /** @description Words that title and tags must have, in any order: upper and lower case and accents make no difference, and the last word may be the beginning of one. Also `"a phrase"`, `-not`, `this or that`. Also `search`. */
                    q?: string;
                    /** @description Items on a page. Also `limit`. */
                    size?: number;
                    /** @description Newest first, or most viewed first. Of a search the best finds come first; this orders equally good ones. */
                    sort?: "date" | "views";
                    /** @description Items with this tag only. */
                    tag?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of the gallery. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["GalleryPage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/gallery/pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Pages of the gallery */
        get: {
            parameters: {
                query?: {
                    /** @description What your owner token owns, of every namespace, in place of what is listed. Set by `true`, `1`, `yes` in any case, or by no value; any other word counts as left out. */
                    mine?: string;
                    /** @description Which page of the list, from 1. */
                    page?: number;
                    /** @description Words that title and tags must have, in any order: upper and lower case and accents make no difference, and the last word may be the beginning of one. Also `"a phrase"`, `-not`, `this or that`. Also `search`. */
                    q?: string;
                    /** @description Items on a page. Also `limit`. */
                    size?: number;
                    /** @description Newest first, or most viewed first. Of a search the best finds come first; this orders equally good ones. */
                    sort?: "date" | "views";
                    /** @description Items with this tag only. */
                    tag?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of the gallery. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["GalleryPage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/html": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your pages */
        get: {
            parameters: {
                query?: {
                    /** @description Of which namespace. */
                    ns?: string;
                    /** @description Which page of the list, from 1. */
                    page?: number;
                    /** @description Items on a page. When neither this nor `page` is given, the list comes whole. */
                    size?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description What your token owns in the namespace, newest first; nothing without a token. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PageList"];
                    };
                };
            };
        };
        put?: never;
        /** Publish a page */
        post: {
            parameters: {
                query?: {
                    /** @description Name of the file in downloads, without a path. */
                    filename?: string;
                    /** @description Of the content: `html`, `markdown` (or `md`) or `text`, in any case. When omitted, the Content-Type tells; a JSON body is HTML. */
                    format?: "html" | "markdown" | "md" | "text";
                    /** @description The item's id. When omitted, ten random characters. */
                    id?: string;
                    /** @description Where to put the item; created at first use. `public` is shared by everybody and listed. Some names are reserved. Also `namespace`. */
                    ns?: string;
                    /** @description Whether the page is shown with the top bar. When omitted, the server's default applies. */
                    showTopBar?: boolean;
                    /** @description Up to 20 tags of 1 to 50 characters, separated by commas; may be repeated. Trimmed, lower-cased and de-duplicated. */
                    tags?: string[];
                    /** @description How the item is named. */
                    title?: string;
                    /** @description Days until the item is deleted, 1 to 30; also as `7d` or `7 days`. Also `ttlDays` and `ttl_days`. */
                    ttl?: number | string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/javascript": string;
                    "application/json": components["schemas"]["PageCreate"];
                    "application/octet-stream": string;
                    "application/toml": string;
                    "application/x-yaml": string;
                    "application/xml": string;
                    "application/yaml": string;
                    "text/css": string;
                    "text/csv": string;
                    "text/html": string;
                    "text/javascript": string;
                    "text/markdown": string;
                    "text/plain": string;
                    "text/x-toml": string;
                    "text/xml": string;
                    "text/yaml": string;
                };
            };
            responses: {
                /** @description It is there. With `Accept: text/plain` preferred over JSON, the body is its address alone and the token comes in `X-Owner-Token`. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PageOrFileCreated"];
                        "text/plain": string;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/html/{ns}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a page */
        get: {
            parameters: {
                query?: {
                    /** @description As a download. Set by `true`, `1`, `yes` in any case, or by no value; any other word counts as left out. */
                    dl?: string;
                    /** @description The stored bytes with their own type, without a page around them. Set by `true`, `1`, `yes` in any case, or by no value; any other word counts as left out. */
                    raw?: string;
                };
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The page. With `raw` or `dl` the stored bytes in their own type. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/*": string;
                        "text/*": string;
                        "text/html": string;
                    };
                };
            };
        };
        /** Replace the content of a page */
        put: {
            parameters: {
                query?: {
                    /** @description How the item is named. */
                    title?: string;
                };
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/javascript": string;
                    "application/json": components["schemas"]["PageUpdate"];
                    "application/octet-stream": string;
                    "application/toml": string;
                    "application/x-yaml": string;
                    "application/xml": string;
                    "application/yaml": string;
                    "text/css": string;
                    "text/csv": string;
                    "text/html": string;
                    "text/javascript": string;
                    "text/markdown": string;
                    "text/plain": string;
                    "text/x-toml": string;
                    "text/xml": string;
                    "text/yaml": string;
                };
            };
            responses: {
                /** @description It has the new content. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PageUpdated"];
                    };
                };
            };
        };
        post?: never;
        /** Delete a page */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It is gone. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/html/{ns}/{id}/hosting": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where a page is served */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description For its owner alone. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Hosting"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change where a page is served */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["HostingChange"];
                };
            };
            responses: {
                /** @description It is served there now. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Hosting"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/html/{ns}/{id}/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the settings of a page */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description For its owner alone. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PageSettings"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/html/{ns}/{id}/source": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the source of a page */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description For its owner alone. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PageSource"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your documents */
        get: {
            parameters: {
                query?: {
                    /** @description Of which namespace. */
                    ns?: string;
                    /** @description Which page of the list, from 1. */
                    page?: number;
                    /** @description Items on a page. When neither this nor `page` is given, the list comes whole. */
                    size?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description What your token owns in the namespace, newest first; nothing without a token. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DocumentList"];
                    };
                };
            };
        };
        put?: never;
        /** Publish a document */
        post: {
            parameters: {
                query?: {
                    /** @description The item's id. When omitted, ten random characters. */
                    id?: string;
                    /** @description Where to put the item; created at first use. `public` is shared by everybody and listed. Some names are reserved. Also `namespace`. */
                    ns?: string;
                    /** @description Up to 20 tags of 1 to 50 characters, separated by commas; may be repeated. Trimmed, lower-cased and de-duplicated. */
                    tags?: string[];
                    /** @description How the item is named. */
                    title?: string;
                    /** @description Days until the item is deleted, 1 to 30; also as `7d` or `7 days`. Also `ttlDays` and `ttl_days`. */
                    ttl?: number | string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AnyJson"];
                };
            };
            responses: {
                /** @description It is there. With `Accept: text/plain` preferred over JSON, the body is its address alone and the token comes in `X-Owner-Token`. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DocumentCreated"];
                        "text/plain": string;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/json/{ns}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a document */
        get: {
            parameters: {
                query?: {
                    /** @description As a download. Set by `true`, `1`, `yes` in any case, or by no value; any other word counts as left out. */
                    dl?: string;
                };
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The document. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AnyJson"];
                    };
                };
            };
        };
        /** Replace a document */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AnyJson"];
                };
            };
            responses: {
                /** @description It is replaced. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DocumentUpdated"];
                    };
                };
            };
        };
        post?: never;
        /** Delete a document */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It is gone. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/json/{ns}/{id}/hosting": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where a document is served */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description For its owner alone. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Hosting"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change where a document is served */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["HostingChange"];
                };
            };
            responses: {
                /** @description It is served there now. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Hosting"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/kv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your stores */
        get: {
            parameters: {
                query?: {
                    /** @description Of which namespace. */
                    ns?: string;
                    /** @description Which page of the list, from 1. */
                    page?: number;
                    /** @description Items on a page. When neither this nor `page` is given, the list comes whole. */
                    size?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description What your token owns in the namespace, newest first; nothing without a token. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StoreList"];
                    };
                };
            };
        };
        put?: never;
        /** Create a store with its first key */
        post: {
            parameters: {
                query?: {
                    /** @description The item's id. When omitted, ten random characters. */
                    id?: string;
                    /** @description Where to put the item; created at first use. `public` is shared by everybody and listed. Some names are reserved. Also `namespace`. */
                    ns?: string;
                    /** @description Up to 20 tags of 1 to 50 characters, separated by commas; may be repeated. Trimmed, lower-cased and de-duplicated. */
                    tags?: string[];
                    /** @description How the item is named. */
                    title?: string;
                    /** @description Days until the item is deleted, 1 to 30; also as `7d` or `7 days`. Also `ttlDays` and `ttl_days`. */
                    ttl?: number | string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["StoreCreate"];
                };
            };
            responses: {
                /** @description It is there. With `Accept: text/plain` preferred over JSON, the body is its address alone and the token comes in `X-Owner-Token`. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StoreCreated"];
                        "text/plain": string;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/kv/{ns}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read what keys a store has */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The keys. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Store"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete a store */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It is gone. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/kv/{ns}/{id}/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a key */
        get: {
            parameters: {
                query?: {
                    /** @description With `If-None-Match`: how many seconds to wait for another value before the answer is 304, 0 to 30. */
                    wait?: number;
                };
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The key: 1 to 256 characters without a slash, percent-encoded. */
                    key: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The value. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Entry"];
                        "text/event-stream": string;
                    };
                };
            };
        };
        /** Set a key */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The key: 1 to 256 characters without a slash, percent-encoded. */
                    key: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["EntryWrite"];
                };
            };
            responses: {
                /** @description It is written. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EntryWritten"];
                    };
                };
            };
        };
        post?: never;
        /** Delete a key */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The key: 1 to 256 characters without a slash, percent-encoded. */
                    key: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It is gone. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/kv/{ns}/{id}/{key}/append": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Append to a text or a list */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The key: 1 to 256 characters without a slash, percent-encoded. */
                    key: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["EntryWrite"];
                };
            };
            responses: {
                /** @description It is appended. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EntryWritten"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/kv/{ns}/{id}/{key}/increment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add to a number */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The key: 1 to 256 characters without a slash, percent-encoded. */
                    key: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: {
                content: {
                    "application/json": components["schemas"]["EntryIncrement"];
                };
            };
            responses: {
                /** @description It is added. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EntryIncremented"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/kv/{ns}/{id}/hosting": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where a store is served */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description For its owner alone. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["HostingOrEntry"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change where a store is served */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["HostingChange"];
                };
            };
            responses: {
                /** @description It is served there now. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Hosting"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All limits, and where you stand */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The limits. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description Most bytes, characters and items, by name. */
                            sizes: {
                                [key: string]: number;
                            };
                            ttlDays: {
                                default: number;
                                max: number;
                                min: number;
                            };
                            watchers: {
                                /** @description Values that your address may follow at once on a gateway; null: no limit. */
                                limit: number | null;
                                /** @description Longest `wait` of a read. */
                                waitSeconds: number;
                            };
                            windows: {
                                /** @description What is counted, in words. */
                                counted: string;
                                /** @description Requests in a window; null: this server does not limit them. */
                                limit: number | null;
                                /** @enum {string} */
                                name: "uploads" | "reads" | "changes" | "tokens" | "previews";
                                /** @description Requests left in the window; null without a limit. */
                                remaining: number | null;
                                /** @description Until the window ends; its whole length while none is open. */
                                resetSeconds: number;
                                /** @description Requests of your address in the window so far. */
                                used: number;
                                /** @description How long a window is. */
                                windowSeconds: number;
                            }[];
                            wrongPasswords: {
                                /** @description Wrong passwords for one item. */
                                limit: number;
                                /** @description How long they count. */
                                windowSeconds: number;
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/namespace/random": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A free namespace */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A name. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RandomNamespace"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/namespace/suggest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Free namespaces like a text */
        get: {
            parameters: {
                query?: {
                    /** @description What the names shall be like. */
                    q?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Names, best first. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NamespaceSuggestions"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This documentation as OpenAPI, below /api */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The document. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            openapi: string;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.yaml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This documentation as OpenAPI in YAML */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The document. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/yaml": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/owner": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make an owner token */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The token. It counts as a create in the limits. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OwnerToken"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/owner-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A new owner token, by GET */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The token. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PlainOwnerToken"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/owner/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All that a token owns */
        get: {
            parameters: {
                query?: {
                    /** @description Items of this kind only. */
                    kind?: "html" | "json" | "kv" | "file" | "site";
                    /** @description Which page of the list, from 1. */
                    page?: number;
                    /** @description Items on a page. */
                    size?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of the list. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OwnedItemPage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** See a page before it is published */
        post: {
            parameters: {
                query?: {
                    /** @description Name of the file in downloads, without a path. */
                    filename?: string;
                    /** @description Of the content: `html`, `markdown` (or `md`) or `text`, in any case. When omitted, the Content-Type tells; a JSON body is HTML. */
                    format?: "html" | "markdown" | "md" | "text";
                    /** @description How the item is named. */
                    title?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/javascript": string;
                    "application/json": components["schemas"]["PagePreview"];
                    "application/octet-stream": string;
                    "application/toml": string;
                    "application/x-yaml": string;
                    "application/xml": string;
                    "application/yaml": string;
                    "text/css": string;
                    "text/csv": string;
                    "text/html": string;
                    "text/javascript": string;
                    "text/markdown": string;
                    "text/plain": string;
                    "text/x-toml": string;
                    "text/xml": string;
                    "text/yaml": string;
                };
            };
            responses: {
                /** @description What people would see. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PagePreviewed"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Report abuse */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReportCreate"];
                };
            };
            responses: {
                /** @description It has arrived. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReportCreated"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sitemap.xml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The sitemap, below /api */
        get: {
            parameters: {
                query?: {
                    /** @description Which file of the index. */
                    part?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The file. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/xml": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your sites */
        get: {
            parameters: {
                query?: {
                    /** @description Of which namespace. */
                    ns?: string;
                    /** @description Which page of the list, from 1. */
                    page?: number;
                    /** @description Items on a page. When neither this nor `page` is given, the list comes whole. */
                    size?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description What your token owns in the namespace, newest first; nothing without a token. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SiteList"];
                    };
                };
            };
        };
        put?: never;
        /** Publish a site */
        post: {
            parameters: {
                query?: {
                    /** @description Path of the entry file. When omitted, `index.html`, else the only HTML file. */
                    entry?: string;
                    /** @description The item's id. When omitted, ten random characters. */
                    id?: string;
                    /** @description Where to put the item; created at first use. `public` is shared by everybody and listed. Some names are reserved. Also `namespace`. */
                    ns?: string;
                    /** @description Up to 20 tags of 1 to 50 characters, separated by commas; may be repeated. Trimmed, lower-cased and de-duplicated. */
                    tags?: string[];
                    /** @description How the item is named. */
                    title?: string;
                    /** @description Days until the item is deleted, 1 to 30; also as `7d` or `7 days`. Also `ttlDays` and `ttl_days`. */
                    ttl?: number | string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/zip": unknown;
                    "multipart/form-data": {
                        archive?: string;
                        file?: string;
                        files?: string[];
                        id?: string;
                        ns?: string;
                        password?: string;
                        /** @description The path of each of `files`, in their order. When omitted, the parts' filenames are. */
                        paths?: string[];
                        /** @description Separated by commas. */
                        tags?: string;
                        title?: string;
                        /** @description Days, as `7`, `7d` or `7 days`. */
                        ttl?: string;
                    } & (unknown | unknown | unknown);
                };
            };
            responses: {
                /** @description It is there. With `Accept: text/plain` preferred over JSON, the body is its address alone and the token comes in `X-Owner-Token`. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SiteCreated"];
                        "text/plain": string;
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sites/{ns}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read what files a site has */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The site. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Site"];
                    };
                };
            };
        };
        /** Replace a site */
        put: {
            parameters: {
                query?: {
                    /** @description Path of the entry file. When omitted, `index.html`, else the only HTML file. */
                    entry?: string;
                    /** @description Up to 20 tags of 1 to 50 characters, separated by commas; may be repeated. Trimmed, lower-cased and de-duplicated. */
                    tags?: string[];
                    /** @description How the item is named. */
                    title?: string;
                    /** @description Days from now until the item is deleted, 1 to 30; also as `7d` or `7 days`. When omitted, its time to live stays. Also `ttlDays` and `ttl_days`. */
                    ttl?: number | string;
                };
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/zip": unknown;
                    "multipart/form-data": {
                        archive?: string;
                        file?: string;
                        files?: string[];
                        /** @description The path of each of `files`, in their order. When omitted, the parts' filenames are. */
                        paths?: string[];
                        /** @description Separated by commas. */
                        tags?: string;
                        title?: string;
                        /** @description Days, as `7`, `7d` or `7 days`. */
                        ttl?: string;
                    } & (unknown | unknown | unknown);
                };
            };
            responses: {
                /** @description It has the new files. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SiteUpdated"];
                    };
                };
            };
        };
        post?: never;
        /** Delete a site */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It is gone. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sites/{ns}/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download a site as a ZIP */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The archive. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/zip": unknown;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sites/{ns}/{id}/files/{filePath}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download a file of a site */
        get: {
            parameters: {
                query?: {
                    /** @description As a download. Set by `true`, `1`, `yes` in any case, or by no value; any other word counts as left out. */
                    dl?: string;
                };
                header?: never;
                path: {
                    /** @description Path of the file within the site, slashes included. */
                    filePath: string;
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The file. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "*/*": unknown;
                    };
                };
                /** @description The part that `Range` asks for. Of several parts the answer is the whole, with 200. */
                206: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "*/*": unknown;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sites/{ns}/{id}/hosting": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where a site is served */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    /** @description The item's id. */
                    id: string;
                    /** @description The item's namespace. */
                    ns: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description For its owner alone. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Hosting"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Statistics of the service */
        get: {
            parameters: {
                query?: {
                    /** @description Whose days are meant: a time zone by its name in the IANA database. Default `UTC`. */
                    tz?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The numbers. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Stats"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/stats/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Statistics over time */
        get: {
            parameters: {
                query?: {
                    /** @description How far back: by the hour, by six hours, or by the day. */
                    range?: "24h" | "7d" | "30d";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The history. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["History"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Any JSON text, kept byte for byte, up to 1 MB and 512 levels deep. */
        AnyJson: unknown;
        /** @description A new document. */
        DocumentCreated: {
            /** @enum {string} */
            access: "public" | "unlisted" | "protected";
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * @description What holds for the item: what was asked for, else what this server does by default.
             * @enum {string}
             */
            deliveryMode: "path" | "subdomain";
            /** @description Whether it is served as `deliveryMode` says. */
            deliveryModeMatched: boolean;
            /**
             * @description Where it is served: `subdomain` needs a server with a domain for items.
             * @enum {string}
             */
            effectiveDeliveryMode: "path" | "subdomain";
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            hasPassword: boolean;
            /** @description Grows with each change of `deliveryMode`. */
            hostingVersion: number;
            /**
             * Format: uri
             * @description The address of its own host, where it is served there and has been given one.
             */
            hostUrl: string | null;
            id: string;
            /**
             * Format: uri
             * @description What to share: the address; of a key, its own.
             */
            link: string;
            /**
             * Format: uri
             * @description The page where its owner manages it.
             */
            managementLink: string;
            namespace: string;
            /**
             * Format: uri
             * @description The item's address in the API.
             */
            ownerLink: string;
            /** @description Needed to change or delete the item. It cannot be recovered. */
            ownerToken: string;
            quarantine?: components["schemas"]["Quarantine"];
            /**
             * @description What was asked for; null: nothing.
             * @enum {string|null}
             */
            requestedDeliveryMode: "path" | "subdomain" | null;
            /**
             * Format: uri
             * @description The same by its short code.
             */
            shortUrl: string;
            /** @description Bytes of the content. */
            sizeBytes: number;
            tags: string[];
            /** @description What the item is called. */
            title: string;
            ttlDays: number;
            /**
             * Format: uri
             * @description The item's address.
             */
            url: string;
        };
        /** @description Documents of one owner, newest first. */
        DocumentList: components["schemas"]["DocumentSummary"][];
        /** @description A document in a list. */
        DocumentSummary: {
            /** @description The beginning of its text, up to 1 KB. */
            content: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            hasPassword: boolean;
            id: string;
            /**
             * Format: uri
             * @description What to share: the address; of a key, its own.
             */
            link: string;
            namespace: string;
            quarantine?: components["schemas"]["Quarantine"];
            /**
             * Format: uri
             * @description The same by its short code.
             */
            shortUrl: string;
            /** @description Bytes of the content. */
            size: number;
            tags: string[];
            /** @description What the item is called. */
            title: string;
            ttlDays: number;
            /**
             * Format: date-time
             * @description When its content last changed.
             */
            updatedAt: string;
            /**
             * Format: uri
             * @description The item's address.
             */
            url: string;
            /** @description How often it has been read. */
            views: number;
        };
        /** @description A document with new content. */
        DocumentUpdated: {
            /** @enum {string} */
            access: "public" | "unlisted" | "protected";
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * @description What holds for the item: what was asked for, else what this server does by default.
             * @enum {string}
             */
            deliveryMode: "path" | "subdomain";
            /** @description Whether it is served as `deliveryMode` says. */
            deliveryModeMatched: boolean;
            /**
             * @description Where it is served: `subdomain` needs a server with a domain for items.
             * @enum {string}
             */
            effectiveDeliveryMode: "path" | "subdomain";
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            /** @description Grows with each change of `deliveryMode`. */
            hostingVersion: number;
            /**
             * Format: uri
             * @description The address of its own host, where it is served there and has been given one.
             */
            hostUrl: string | null;
            id: string;
            /**
             * Format: uri
             * @description What to share: the address; of a key, its own.
             */
            link: string;
            /**
             * Format: uri
             * @description The page where its owner manages it.
             */
            managementLink: string;
            namespace: string;
            /**
             * Format: uri
             * @description The item's address in the API.
             */
            ownerLink: string;
            quarantine?: components["schemas"]["Quarantine"];
            /**
             * @description What was asked for; null: nothing.
             * @enum {string|null}
             */
            requestedDeliveryMode: "path" | "subdomain" | null;
            /**
             * Format: uri
             * @description The same by its short code.
             */
            shortUrl: string;
            /** @description Bytes of the content. */
            sizeBytes: number;
            /** @description What the item is called. */
            title: string;
            /**
             * Format: date-time
             * @description When its content last changed.
             */
            updatedAt: string;
            /**
             * Format: uri
             * @description The item's address.
             */
            url: string;
        };
        /** @description The domain of an item, and what its owner has to do for it. */
        Domain: {
            /**
             * Format: date-time
             * @description When name servers were asked last; null: never.
             */
            checkedAt: string | null;
            /**
             * Format: date-time
             * @description When the domain was given.
             */
            claimedAt: string;
            /** @description As it is looked for: in lower case and punycode. */
            domain: string;
            /**
             * @description What name servers said last. `record`: the record is there. `none`: it is not. `held`: it is, and so is that of another item, which has the domain. `failure`: no answer to rely on. null: they were not asked.
             * @enum {string|null}
             */
            finding: "record" | "none" | "held" | "failure" | null;
            id: string;
            /**
             * Format: date-time
             * @description Since when the record is missing; null: it is not.
             */
            lostAt: string | null;
            namespace: string;
            /** @description The record that proves that the domain is yours. Keep it. */
            record: {
                /** @description Of the record. */
                name: string;
                /** @constant */
                type: "TXT";
                /** @description Of the record. It stays the same for this item and domain. */
                value: string;
            };
            /**
             * Format: date-time
             * @description When the domain will be taken away, unless the record comes back.
             */
            removedAt: string | null;
            /**
             * @description `pending`: the record was not found yet. `verified`: the record is there. `active`: and the domain leads here. `lost`: the record has gone.
             * @enum {string}
             */
            state: "pending" | "verified" | "active" | "lost";
            /** @description The host that the domain has to lead to, by CNAME or by its addresses. */
            target: string;
            /**
             * Format: uri
             * @description Where the item is, once the domain is verified and leads here.
             */
            url: string;
            /**
             * Format: date-time
             * @description When the record was found first; null: it was not.
             */
            verifiedAt: string | null;
        };
        /** @description The domain that an item is to be served at. */
        DomainClaim: {
            /** @description The name of a host below a public suffix, in any case, in letters of any language. */
            domain: string;
        };
        /** @description A key and its value. */
        Entry: {
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            id: string;
            key: string;
            namespace: string;
            /**
             * Format: date-time
             * @description When its content last changed.
             */
            updatedAt: string;
            /** @description Any JSON value, up to 1 MB as JSON text. */
            value: unknown;
            /** @description Counts the values this key has had. */
            version: number;
            /** @description How often it has been read. */
            views: number;
        };
        /** @description What to add to a number. */
        EntryIncrement: {
            /** @description May be negative. Default 1. */
            by?: number;
        };
        /** @description What an increment did. */
        EntryIncremented: {
            /** @description Whether the key is new. */
            created: boolean;
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            id: string;
            key: string;
            /**
             * Format: uri
             * @description What to share: the address; of a key, its own.
             */
            link: string;
            namespace: string;
            /**
             * Format: uri
             * @description The item's address in the API.
             */
            ownerLink: string;
            /** @description Bytes of the content. */
            sizeBytes: number;
            /**
             * Format: date-time
             * @description When its content last changed.
             */
            updatedAt: string;
            /** @description The number that it made. */
            value: number;
            /** @description Counts the values this key has had. */
            version: number;
        };
        /** @description The new value of a key. */
        EntryWrite: {
            /** @description Any JSON value, up to 1 MB as JSON text. */
            value: unknown;
        };
        /** @description What a write did. */
        EntryWritten: {
            /** @description Whether the key is new. */
            created: boolean;
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            id: string;
            key: string;
            /**
             * Format: uri
             * @description What to share: the address; of a key, its own.
             */
            link: string;
            namespace: string;
            /**
             * Format: uri
             * @description The item's address in the API.
             */
            ownerLink: string;
            /** @description Bytes of the content. */
            sizeBytes: number;
            /**
             * Format: date-time
             * @description When its content last changed.
             */
            updatedAt: string;
            /** @description Counts the values this key has had. */
            version: number;
        };
        /** @description What every error looks like. */
        Error: {
            /**
             * @description What to tell errors apart by.
             * @enum {string}
             */
            code: "VALIDATION_FAILED" | "JSON_INVALID" | "NAMESPACE_INVALID" | "NAMESPACE_RESERVED" | "ID_INVALID" | "TTL_INVALID" | "USER_AGENT_REQUIRED" | "OWNER_TOKEN_REQUIRED" | "OWNER_TOKEN_INVALID" | "OWNER_TOKEN_WRONG" | "PASSWORD_REQUIRED" | "PASSWORD_WRONG" | "ADMIN_UNAUTHORIZED" | "ADMIN_DISABLED" | "CLIENT_BLOCKED" | "CONTENT_BLOCKED" | "CROSS_SITE_FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "ID_TAKEN" | "GONE" | "KV_KEY_LIMIT" | "LIMIT_REACHED" | "VALUE_MISMATCH" | "HOSTING_CHANGED" | "FINDING_CHANGED" | "DOMAIN_TAKEN" | "DOMAINS_DISABLED" | "PRECONDITION_FAILED" | "RANGE_NOT_SATISFIABLE" | "TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "CONTENT_REJECTED" | "BEING_CHECKED" | "QUARANTINED" | "RATE_LIMITED" | "INTERNAL" | "UNAVAILABLE" | "STORAGE_FULL" | "TIMEOUT";
            /** @description Every issue that belongs to a field. */
            details?: {
                field: string;
                message: string;
            }[];
            /** @description The status in HTTP's words. */
            error: string;
            /** @description What is wrong, and what to do. */
            message: string;
            /** @description The same as the header X-Request-Id. */
            requestId: string;
            result?: components["schemas"]["UploadResult"];
            /** @description The same as the HTTP status. */
            status: number;
            /** @description Of 415 and 422 to a create: the types that it takes. */
            supportedTypes?: string[];
            /** Format: date-time */
            timestamp: string;
        };
        /** @description An uploaded file. */
        FileCreated: {
            /** @enum {string} */
            access: "public" | "unlisted" | "protected";
            /** @description What it is served as. */
            contentType: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * @description What holds for the item: what was asked for, else what this server does by default.
             * @enum {string}
             */
            deliveryMode: "path" | "subdomain";
            /** @description Whether it is served as `deliveryMode` says. */
            deliveryModeMatched: boolean;
            /**
             * @description Where it is served: `subdomain` needs a server with a domain for items.
             * @enum {string}
             */
            effectiveDeliveryMode: "path" | "subdomain";
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            /** @description As it was uploaded. */
            filename: string;
            hasPassword: boolean;
            /** @description Grows with each change of `deliveryMode`. */
            hostingVersion: number;
            /**
             * Format: uri
             * @description The address of its own host, where it is served there and has been given one.
             */
            hostUrl: string | null;
            id: string;
            /**
             * Format: uri
             * @description What to share: the address; of a key, its own.
             */
            link: string;
            /**
             * Format: uri
             * @description The page where its owner manages it.
             */
            managementLink: string;
            namespace: string;
            /**
             * Format: uri
             * @description The item's address in the API.
             */
            ownerLink: string;
            /** @description Needed to change or delete the item. It cannot be recovered. */
            ownerToken: string;
            quarantine?: components["schemas"]["Quarantine"];
            /**
             * @description What was asked for; null: nothing.
             * @enum {string|null}
             */
            requestedDeliveryMode: "path" | "subdomain" | null;
            /**
             * Format: uri
             * @description The same by its short code.
             */
            shortUrl: string;
            /** @description Bytes of the content. */
            sizeBytes: number;
            tags: string[];
            /** @description What the item is called. */
            title: string;
            ttlDays: number;
            /**
             * Format: uri
             * @description The item's address.
             */
            url: string;
        };
        /** @description Files of one owner, newest first. */
        FileList: components["schemas"]["FileSummary"][];
        /** @description A file in a list. */
        FileSummary: {
            /** @description What it is served as. */
            contentType: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            /** @description As it was uploaded. */
            filename: string;
            hasPassword: boolean;
            id: string;
            /**
             * Format: uri
             * @description What to share: the address; of a key, its own.
             */
            link: string;
            namespace: string;
            quarantine?: components["schemas"]["Quarantine"];
            /**
             * Format: uri
             * @description The same by its short code.
             */
            shortUrl: string;
            /** @description Bytes of the content. */
            size: number;
            tags: string[];
            /** @description What the item is called. */
            title: string;
            ttlDays: number;
            /**
             * Format: date-time
             * @description When its content last changed.
             */
            updatedAt: string;
            /**
             * Format: uri
             * @description The item's address.
             */
            url: string;
            /** @description How often it has been read. */
            views: number;
        };
        /** @description A public item. */
        GalleryItem: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            id: string;
            namespace: string;
            /**
             * Format: uri
             * @description The same by its short code.
             */
            shortUrl: string;
            /** @description Bytes of the content. */
            sizeBytes: number;
            tags: string[];
            /** @description What the item is called; its id when it has no title. */
            title: string;
            /**
             * @description The item's kind.
             * @enum {string}
             */
            type: "html" | "json" | "kv" | "file" | "site";
            /**
             * Format: uri
             * @description The item's address.
             */
            url: string;
            /** @description How often it has been read. */
            views: number;
        };
        /** @description Public items that match. */
        GalleryPage: {
            items: components["schemas"]["GalleryItem"][];
            page: number;
            /** @description How many pages there are. */
            pages: number;
            /** @description How many a page has at most. */
            size: number;
            /** @description How many there are in all. */
            total: number;
            /** @description Whether more items may match the search than the `total` that were ranked. */
            totalIsLowerBound?: boolean;
        };
        /** @description What the service has done over time. */
        History: {
            /** @enum {string} */
            range: "24h" | "7d" | "30d";
            spans: {
                /**
                 * Format: date-time
                 * @description When it began: at a full hour, and at midnight UTC for days.
                 */
                at: string;
                /** @description Bytes stored at its end; of the running span now. */
                bytes: number;
                /** @description Items created. */
                created: number;
                /** @description Items removed or expired. */
                deleted: number;
                kinds: {
                    /** @description Bytes stored at its end; of the running span now. */
                    bytes: number;
                    /** @description Items created. */
                    created: number;
                    /** @description Items removed or expired. */
                    deleted: number;
                    /** @enum {string} */
                    type: "html" | "json" | "kv" | "file" | "site";
                    /** @description Views counted. */
                    views: number;
                }[];
                /** @description Views counted. */
                views: number;
            }[];
            /**
             * @description Of a span.
             * @enum {integer}
             */
            spanSeconds: 3600 | 21600 | 86400;
            /**
             * Format: date-time
             * @description When these numbers were read.
             */
            timestamp: string;
        };
        /** @description Where an item is served. */
        Hosting: {
            /** @enum {string} */
            access: "public" | "unlisted" | "protected";
            /**
             * @description What holds for the item: what was asked for, else what this server does by default.
             * @enum {string}
             */
            deliveryMode: "path" | "subdomain";
            /** @description Whether it is served as `deliveryMode` says. */
            deliveryModeMatched: boolean;
            /**
             * @description Where it is served: `subdomain` needs a server with a domain for items.
             * @enum {string}
             */
            effectiveDeliveryMode: "path" | "subdomain";
            /** @description Grows with each change of `deliveryMode`. */
            hostingVersion: number;
            /**
             * Format: uri
             * @description The address of its own host, where it is served there and has been given one.
             */
            hostUrl: string | null;
            id: string;
            /**
             * Format: uri
             * @description The page where its owner manages it.
             */
            managementLink: string;
            namespace: string;
            /**
             * @description What was asked for; null: nothing.
             * @enum {string|null}
             */
            requestedDeliveryMode: "path" | "subdomain" | null;
        };
        /** @description Where an item is to be served. */
        HostingChange: {
            /**
             * @description In any case.
             * @enum {string}
             */
            deliveryMode: "path" | "subdomain";
            /** @description The `hostingVersion` that you have read. */
            expectedVersion: number;
        };
        /** @description Where a store is served, or its key of the name `hosting`. */
        HostingOrEntry: components["schemas"]["Hosting"] | components["schemas"]["Entry"];
        /** @description How often an item was viewed, for its owner. Without addresses of readers. */
        ItemStats: {
            /** @description Days, oldest first; the last one is running. None is older than the item, or than the server keeps its log. */
            days: {
                /**
                 * Format: date
                 * @description In UTC.
                 */
                date: string;
                /** @description Views. */
                views: number;
            }[];
            /** @description The last 24 hours, oldest first; the last one is running. */
            hours: {
                /**
                 * Format: date-time
                 * @description When the hour began.
                 */
                at: string;
                /** @description Views. */
                views: number;
            }[];
            id: string;
            namespace: string;
            /** @description Views of those days from further hosts. */
            otherReferers: number;
            /** @description The twenty hosts that led most readers here on those days. */
            referers: {
                /** @description Host of the page that led here. */
                host: string;
                /** @description Views. */
                views: number;
            }[];
            /**
             * Format: date-time
             * @description When these numbers were read.
             */
            timestamp: string;
            /**
             * @description The item's kind.
             * @enum {string}
             */
            type: "html" | "json" | "kv" | "file" | "site";
            /** @description How often it has been read. */
            views: number;
            /** @description Views of those days whose client named no page it came from. */
            withoutReferer: number;
        };
        /** @description Names that nobody used when they were asked for, best first. */
        NamespaceSuggestions: {
            suggestions: string[];
        };
        /** @description An item of whatever kind, for its owner. */
        OwnedItem: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            hasPassword: boolean;
            id: string;
            /**
             * Format: uri
             * @description What to share: the address; of a key, its own.
             */
            link: string;
            namespace: string;
            quarantine?: components["schemas"]["Quarantine"];
            /**
             * Format: uri
             * @description The same by its short code.
             */
            shortUrl: string;
            /** @description Bytes of the content. */
            sizeBytes: number;
            tags: string[];
            /** @description What the item is called. */
            title: string;
            ttlDays: number;
            /**
             * @description The item's kind.
             * @enum {string}
             */
            type: "html" | "json" | "kv" | "file" | "site";
            /**
             * Format: date-time
             * @description When its content last changed.
             */
            updatedAt: string;
            /**
             * Format: uri
             * @description The item's address.
             */
            url: string;
            /** @description How often it has been read. */
            views: number;
        };
        /** @description What a token owns in all namespaces, newest first. */
        OwnedItemPage: {
            items: components["schemas"]["OwnedItem"][];
            page: number;
            /** @description How many pages there are. */
            pages: number;
            /** @description How many a page has at most. */
            size: number;
            /** @description How many there are in all. */
            total: number;
        };
        /** @description Whose an item is. */
        OwnerCheck: {
            /** @description The same, by the name that other clients know. */
            isOwner: boolean;
            /** @description Whether the token that was sent owns it. */
            owner: boolean;
            /**
             * @description The item's kind.
             * @enum {string}
             */
            type: "html" | "json" | "kv" | "file" | "site";
        };
        /** @description A new owner token. */
        OwnerToken: {
            /** @description Send it with creates. It cannot be recovered. */
            ownerToken: string;
        };
        /** @description A page to publish (HtmlUploadRequest). */
        PageCreate: {
            /** @description The page itself, up to 5 MB. */
            content: string;
            filename?: string | null;
            /**
             * @description In any case.
             * @enum {unknown}
             */
            format?: "html" | "markdown" | "md" | "text" | "" | null;
            id?: string | null;
            /** @description Counts when there is no `ns`. */
            namespace?: string | null;
            /** @description Where to put the item. */
            ns?: string | null;
            password?: string | null;
            /** @enum {unknown} */
            showTopBar?: true | false | "true" | "false" | "" | null;
            tags?: string | string[] | null;
            title?: string | null;
            /** @description Days, as 7, `7d` or `7 days`. */
            ttl?: number | string | null;
            /** @description Counts when there is neither of them. */
            ttl_days?: number | string | null;
            /** @description Counts when there is no `ttl`. */
            ttlDays?: number | string | null;
        };
        /** @description A published page. */
        PageCreated: {
            /** @enum {string} */
            access: "public" | "unlisted" | "protected";
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * @description What holds for the item: what was asked for, else what this server does by default.
             * @enum {string}
             */
            deliveryMode: "path" | "subdomain";
            /** @description Whether it is served as `deliveryMode` says. */
            deliveryModeMatched: boolean;
            /**
             * @description Where it is served: `subdomain` needs a server with a domain for items.
             * @enum {string}
             */
            effectiveDeliveryMode: "path" | "subdomain";
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            /** @description Name of the file in downloads. */
            filename: string | null;
            /** @enum {string} */
            format: "HTML" | "MARKDOWN" | "TEXT";
            hasPassword: boolean;
            /** @description Grows with each change of `deliveryMode`. */
            hostingVersion: number;
            /**
             * Format: uri
             * @description The address of its own host, where it is served there and has been given one.
             */
            hostUrl: string | null;
            id: string;
            /**
             * Format: uri
             * @description What to share: the address; of a key, its own.
             */
            link: string;
            /**
             * Format: uri
             * @description The page where its owner manages it.
             */
            managementLink: string;
            namespace: string;
            /**
             * Format: uri
             * @description The item's address in the API.
             */
            ownerLink: string;
            /** @description Needed to change or delete the item. It cannot be recovered. */
            ownerToken: string;
            quarantine?: components["schemas"]["Quarantine"];
            /**
             * @description What was asked for; null: nothing.
             * @enum {string|null}
             */
            requestedDeliveryMode: "path" | "subdomain" | null;
            result: components["schemas"]["UploadResult"];
            /**
             * Format: uri
             * @description The same by its short code.
             */
            shortUrl: string;
            /** @description The page's own choice; null: the server's default applies. */
            showTopBar: boolean | null;
            /** @description Bytes of the content. */
            sizeBytes: number;
            tags: string[];
            /** @description What the item is called. */
            title: string;
            ttlDays: number;
            /**
             * Format: uri
             * @description The item's address.
             */
            url: string;
        };
        /** @description Pages of one owner, newest first. */
        PageList: components["schemas"]["PageSummary"][];
        /** @description A page, or the file that a binary body became. */
        PageOrFileCreated: components["schemas"]["PageCreated"] | components["schemas"]["FileCreated"];
        /** @description A page to look at before it is published. */
        PagePreview: {
            /** @description The page, up to 1 MB. */
            content: string;
            filename?: string | null;
            /**
             * @description In any case.
             * @enum {unknown}
             */
            format?: "html" | "markdown" | "md" | "text" | "" | null;
            title?: string | null;
        };
        /** @description A page as people would see it, without the top bar. */
        PagePreviewed: {
            /** @enum {string} */
            format: "HTML" | "MARKDOWN" | "TEXT";
            /** @description A whole document. Show it in a sandbox: of an HTML page it is what was sent. */
            html: string;
            /** @description Given, found in the content, or the file name; else empty. */
            title: string;
        };
        /** @description A page without its content (HtmlSettingsResponse). */
        PageSettings: {
            /** @enum {string} */
            access: "public" | "unlisted" | "protected";
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * @description What holds for the item: what was asked for, else what this server does by default.
             * @enum {string}
             */
            deliveryMode: "path" | "subdomain";
            /** @description Whether it is served as `deliveryMode` says. */
            deliveryModeMatched: boolean;
            /**
             * @description Where it is served: `subdomain` needs a server with a domain for items.
             * @enum {string}
             */
            effectiveDeliveryMode: "path" | "subdomain";
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            /** @description Name of the file in downloads. */
            filename: string | null;
            /** @enum {string} */
            format: "HTML" | "MARKDOWN" | "TEXT";
            hasPassword: boolean;
            /** @description Grows with each change of `deliveryMode`. */
            hostingVersion: number;
            /**
             * Format: uri
             * @description The address of its own host, where it is served there and has been given one.
             */
            hostUrl: string | null;
            id: string;
            /** @description Of what the text is written in, such as `yaml`, where its type says so. */
            language: string | null;
            /**
             * Format: uri
             * @description The page where its owner manages it.
             */
            managementLink: string;
            namespace: string;
            quarantine?: components["schemas"]["Quarantine"];
            /**
             * @description What was asked for; null: nothing.
             * @enum {string|null}
             */
            requestedDeliveryMode: "path" | "subdomain" | null;
            /** @description Whether the page is shown with the top bar. */
            showTopBar: boolean;
            /** @description The page's own choice; null: the server's default applies. */
            showTopBarOverride: boolean | null;
            /** @description Bytes of the content. */
            sizeBytes: number;
            tags: string[];
            /** @description What the item is called. */
            title: string;
            ttlDays: number;
            /**
             * Format: date-time
             * @description When its content last changed.
             */
            updatedAt: string;
        };
        /** @description A page as it is stored (HtmlSourceResponse). */
        PageSource: {
            /** @description The body as it was sent. */
            content: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            /** @description Name of the file in downloads. */
            filename: string | null;
            /** @enum {string} */
            format: "HTML" | "MARKDOWN" | "TEXT";
            id: string;
            /** @description Of what the text is written in, such as `yaml`, where its type says so. */
            language: string | null;
            namespace: string;
            quarantine?: components["schemas"]["Quarantine"];
            /** @description Whether the page is shown with the top bar. */
            showTopBar: boolean;
            /** @description The page's own choice; null: the server's default applies. */
            showTopBarOverride: boolean | null;
            /** @description Bytes of the content. */
            sizeBytes: number;
            tags: string[];
            /** @description What the item is called. */
            title: string;
            ttlDays: number;
            /**
             * Format: date-time
             * @description When its content last changed.
             */
            updatedAt: string;
        };
        /** @description A page in a list. */
        PageSummary: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            /** @description Name of the file in downloads. */
            filename: string | null;
            /** @enum {string} */
            format: "HTML" | "MARKDOWN" | "TEXT";
            hasPassword: boolean;
            id: string;
            /**
             * Format: uri
             * @description What to share: the address; of a key, its own.
             */
            link: string;
            namespace: string;
            quarantine?: components["schemas"]["Quarantine"];
            /**
             * Format: uri
             * @description The same by its short code.
             */
            shortUrl: string;
            /** @description Bytes of the content. */
            size: number;
            tags: string[];
            /** @description What the item is called. */
            title: string;
            ttlDays: number;
            /**
             * Format: date-time
             * @description When its content last changed.
             */
            updatedAt: string;
            /**
             * Format: uri
             * @description The item's address.
             */
            url: string;
            /** @description How often it has been read. */
            views: number;
        };
        /** @description New content of a page (HtmlUpdateRequest). What cannot change is passed over. */
        PageUpdate: {
            /** @description The new page, up to 5 MB. */
            content: string;
            title?: string | null;
        };
        /** @description A page with new content (HtmlUpdateResponse). */
        PageUpdated: {
            /** @enum {string} */
            access: "public" | "unlisted" | "protected";
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * @description What holds for the item: what was asked for, else what this server does by default.
             * @enum {string}
             */
            deliveryMode: "path" | "subdomain";
            /** @description Whether it is served as `deliveryMode` says. */
            deliveryModeMatched: boolean;
            /**
             * @description Where it is served: `subdomain` needs a server with a domain for items.
             * @enum {string}
             */
            effectiveDeliveryMode: "path" | "subdomain";
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            /** @enum {string} */
            format: "HTML" | "MARKDOWN" | "TEXT";
            /** @description Grows with each change of `deliveryMode`. */
            hostingVersion: number;
            /**
             * Format: uri
             * @description The address of its own host, where it is served there and has been given one.
             */
            hostUrl: string | null;
            id: string;
            /**
             * Format: uri
             * @description What to share: the address; of a key, its own.
             */
            link: string;
            /**
             * Format: uri
             * @description The page where its owner manages it.
             */
            managementLink: string;
            namespace: string;
            /**
             * Format: uri
             * @description The item's address in the API.
             */
            ownerLink: string;
            quarantine?: components["schemas"]["Quarantine"];
            /**
             * @description What was asked for; null: nothing.
             * @enum {string|null}
             */
            requestedDeliveryMode: "path" | "subdomain" | null;
            /**
             * Format: uri
             * @description The same by its short code.
             */
            shortUrl: string;
            /** @description Bytes of the content. */
            sizeBytes: number;
            /** @description What the item is called. */
            title: string;
            /**
             * Format: date-time
             * @description When its content last changed.
             */
            updatedAt: string;
            /**
             * Format: uri
             * @description The item's address.
             */
            url: string;
        };
        /** @description A new owner token, and the id of its owner. */
        PlainOwnerToken: {
            /** @description The SHA-256 of the token in hex: all that the server will know of it. */
            ownerId: string;
            /** @description Send it as `X-Owner-Token`. It cannot be recovered. */
            token: string;
        };
        /** @description Why nobody but its owner may read an item. */
        Quarantine: {
            /**
             * @description `malware`: a scanner found something; `link`: a page links to a host of the blocklist; `unscannable`: it cannot be looked through; `unscanned`: it will be, soon.
             * @enum {string}
             */
            cause: "malware" | "unscanned" | "unscannable" | "link";
            /** @description The file of a site that it is about; null: the content itself. */
            part: string | null;
            /**
             * Format: date-time
             * @description Since when.
             */
            since: string;
            /** @description The scanner's name for it, the host, or the reason; empty for what is `unscanned`. */
            verdict: string;
        };
        /** @description A name that nobody used when it was asked for. */
        RandomNamespace: {
            namespace: string;
        };
        /** @description How long the item shall live from now on. */
        Renewal: {
            /** @description Days, as 7, `7d` or `7 days`. */
            ttl?: number | string | null;
            /** @description Counts when there is neither of them. */
            ttl_days?: number | string | null;
            /** @description Counts when there is no `ttl`. */
            ttlDays?: number | string | null;
        };
        /** @description A renewed item. */
        Renewed: {
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            ttlDays: number;
        };
        /** @description An abuse report. */
        ReportCreate: {
            /** @enum {string} */
            category: "spam" | "phishing" | "malware" | "copyright" | "harassment" | "illegal" | "cannot_delete" | "other";
            /** @description 10 to 5000 characters besides white space at its ends. */
            description: string;
            /** Format: uri */
            reportedUrl: string;
            reporterEmail?: string | null;
            /** @description With resourceNamespace. */
            resourceId?: string | null;
            /** @description With resourceId: the item. Without both it is the one that the address names; with one of them, if that agrees. */
            resourceNamespace?: string | null;
        };
        /** @description A report that has arrived. */
        ReportCreated: {
            /**
             * Format: date-time
             * @description When it arrived.
             */
            receivedAt: string;
            reportId: string;
        };
        /** @description A site and its files. */
        Site: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /** @description The file that the address itself shows. */
            entryFile: string;
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            fileCount: number;
            files: {
                /** @description What it is served as. */
                contentType: string;
                /** @description Relative to the site. */
                path: string;
                /** @description Bytes of the content. */
                sizeBytes: number;
            }[];
            hasPassword: boolean;
            id: string;
            namespace: string;
            quarantine?: components["schemas"]["Quarantine"];
            /**
             * Format: uri
             * @description The same by its short code.
             */
            shortUrl: string;
            tags: string[];
            /** @description What the item is called. */
            title: string;
            /** @description Bytes of all files. */
            totalSizeBytes: number;
            /**
             * Format: date-time
             * @description When its content last changed.
             */
            updatedAt: string;
            /**
             * Format: uri
             * @description The item's address.
             */
            url: string;
            /** @description How often it has been read. */
            views: number;
        };
        /** @description A published site. */
        SiteCreated: {
            /** @enum {string} */
            access: "public" | "unlisted" | "protected";
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * @description What holds for the item: what was asked for, else what this server does by default.
             * @enum {string}
             */
            deliveryMode: "path" | "subdomain";
            /** @description Whether it is served as `deliveryMode` says. */
            deliveryModeMatched: boolean;
            /**
             * @description Where it is served: `subdomain` needs a server with a domain for items.
             * @enum {string}
             */
            effectiveDeliveryMode: "path" | "subdomain";
            /** @description The file that the address itself shows. */
            entryFile: string;
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            fileCount: number;
            hasPassword: boolean;
            /** @description Grows with each change of `deliveryMode`. */
            hostingVersion: number;
            /**
             * Format: uri
             * @description The address of its own host, where it is served there and has been given one.
             */
            hostUrl: string | null;
            id: string;
            /**
             * Format: uri
             * @description What to share: the address; of a key, its own.
             */
            link: string;
            /**
             * Format: uri
             * @description The page where its owner manages it.
             */
            managementLink: string;
            namespace: string;
            /**
             * Format: uri
             * @description The item's address in the API.
             */
            ownerLink: string;
            /** @description Needed to change or delete the item. It cannot be recovered. */
            ownerToken: string;
            quarantine?: components["schemas"]["Quarantine"];
            /**
             * @description What was asked for; null: nothing.
             * @enum {string|null}
             */
            requestedDeliveryMode: "path" | "subdomain" | null;
            result: components["schemas"]["UploadResult"];
            /**
             * Format: uri
             * @description The same by its short code.
             */
            shortUrl: string;
            /** @description Bytes of the content. */
            sizeBytes: number;
            tags: string[];
            /** @description What the item is called. */
            title: string;
            /** @description Bytes of all files. */
            totalSizeBytes: number;
            ttlDays: number;
            /**
             * Format: uri
             * @description The item's address.
             */
            url: string;
        };
        /** @description Sites of one owner, newest first. */
        SiteList: components["schemas"]["SiteSummary"][];
        /** @description A site in a list. */
        SiteSummary: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /** @description The file that the address itself shows. */
            entryFile: string;
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            fileCount: number;
            hasPassword: boolean;
            id: string;
            /**
             * Format: uri
             * @description What to share: the address; of a key, its own.
             */
            link: string;
            namespace: string;
            quarantine?: components["schemas"]["Quarantine"];
            /**
             * Format: uri
             * @description The same by its short code.
             */
            shortUrl: string;
            tags: string[];
            /** @description What the item is called. */
            title: string;
            /** @description Bytes of all files. */
            totalSizeBytes: number;
            ttlDays: number;
            /**
             * Format: date-time
             * @description When its content last changed.
             */
            updatedAt: string;
            /**
             * Format: uri
             * @description The item's address.
             */
            url: string;
            /** @description How often it has been read. */
            views: number;
        };
        /** @description A site with new files. */
        SiteUpdated: {
            /** @enum {string} */
            access: "public" | "unlisted" | "protected";
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * @description What holds for the item: what was asked for, else what this server does by default.
             * @enum {string}
             */
            deliveryMode: "path" | "subdomain";
            /** @description Whether it is served as `deliveryMode` says. */
            deliveryModeMatched: boolean;
            /**
             * @description Where it is served: `subdomain` needs a server with a domain for items.
             * @enum {string}
             */
            effectiveDeliveryMode: "path" | "subdomain";
            /** @description The file that the address itself shows. */
            entryFile: string;
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            fileCount: number;
            /** @description Grows with each change of `deliveryMode`. */
            hostingVersion: number;
            /**
             * Format: uri
             * @description The address of its own host, where it is served there and has been given one.
             */
            hostUrl: string | null;
            id: string;
            /**
             * Format: uri
             * @description What to share: the address; of a key, its own.
             */
            link: string;
            /**
             * Format: uri
             * @description The page where its owner manages it.
             */
            managementLink: string;
            namespace: string;
            /**
             * Format: uri
             * @description The item's address in the API.
             */
            ownerLink: string;
            quarantine?: components["schemas"]["Quarantine"];
            /**
             * @description What was asked for; null: nothing.
             * @enum {string|null}
             */
            requestedDeliveryMode: "path" | "subdomain" | null;
            result: components["schemas"]["UploadResult"];
            /**
             * Format: uri
             * @description The same by its short code.
             */
            shortUrl: string;
            /** @description Bytes of the content. */
            sizeBytes: number;
            tags: string[];
            /** @description What the item is called. */
            title: string;
            /** @description Bytes of all files. */
            totalSizeBytes: number;
            ttlDays: number;
            /**
             * Format: date-time
             * @description When its content last changed.
             */
            updatedAt: string;
            /**
             * Format: uri
             * @description The item's address.
             */
            url: string;
        };
        /** @description What the service has done so far. Totals stay when items expire. */
        Stats: {
            /** @description Items there are now. */
            activeItems: number;
            breakdown: {
                /** @description Items there are now. */
                active: number;
                /** @description Bytes of their content. */
                bytes: number;
                /** @description Items that were removed or have expired. */
                deleted: number;
                /** @description Of it: all others. */
                deletedPrivate: number;
                /** @description Of it: in `public`, without a password. */
                deletedPublic: number;
                /** @description Items removed or expired since midnight. */
                deletedToday: number;
                /** @description Of it: all others. */
                deletedTodayPrivate: number;
                /** @description Of it: in `public`, without a password. */
                deletedTodayPublic: number;
                /** @description Items created since midnight. */
                today: number;
                /** @description As `deletedToday`. */
                todayDeleted: number;
                /** @description Of it: all others. */
                todayDeletedPrivate: number;
                /** @description Of it: in `public`, without a password. */
                todayDeletedPublic: number;
                /** @description Of it: all others. */
                todayPrivate: number;
                /** @description Of it: in `public`, without a password. */
                todayPublic: number;
                /** @description Items ever created. */
                total: number;
                /** @description As `deleted`. */
                totalDeleted: number;
                /** @description Of it: all others. */
                totalDeletedPrivate: number;
                /** @description Of it: in `public`, without a password. */
                totalDeletedPublic: number;
                /** @description Of it: all others. */
                totalPrivate: number;
                /** @description Of it: in `public`, without a password. */
                totalPublic: number;
                /** @enum {string} */
                type: "html" | "json" | "kv" | "file" | "site";
                /** @description Views ever counted. */
                views: number;
                /** @description Of it: all others. */
                viewsPrivate: number;
                /** @description Of it: in `public`, without a password. */
                viewsPublic: number;
                /** @description Views counted since midnight. */
                viewsToday: number;
                /** @description Of it: all others. */
                viewsTodayPrivate: number;
                /** @description Of it: in `public`, without a password. */
                viewsTodayPublic: number;
            }[];
            /** @description Items created since midnight. */
            createdToday: number;
            /** @description Of it: all others. */
            createdTodayPrivate: number;
            /** @description Of it: in `public`, without a password. */
            createdTodayPublic: number;
            /** @description Items removed or expired since midnight. */
            deletedToday: number;
            /** @description Of it: all others. */
            deletedTodayPrivate: number;
            /** @description Of it: in `public`, without a password. */
            deletedTodayPublic: number;
            /** @description Bytes of their content. */
            storedBytes: number;
            /**
             * Format: date-time
             * @description When these numbers were read.
             */
            timestamp: string;
            /** @description Items ever created. */
            totalCreated: number;
            /** @description Of it: all others. */
            totalCreatedPrivate: number;
            /** @description Of it: in `public`, without a password. */
            totalCreatedPublic: number;
            /** @description Items that were removed or have expired. */
            totalDeleted: number;
            /** @description Of it: all others. */
            totalDeletedPrivate: number;
            /** @description Of it: in `public`, without a password. */
            totalDeletedPublic: number;
            /** @description Views ever counted, of items that are gone, too; some seconds late. */
            totalViews: number;
            /** @description Of it: all others. */
            totalViewsPrivate: number;
            /** @description Of it: in `public`, without a password. */
            totalViewsPublic: number;
            /** @description Views counted since midnight. */
            viewsToday: number;
            /** @description Of it: all others. */
            viewsTodayPrivate: number;
            /** @description Of it: in `public`, without a password. */
            viewsTodayPublic: number;
        };
        /** @description The keys of a store. */
        Store: {
            count: number;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            entries: {
                key: string;
                /** @description Bytes of the content. */
                sizeBytes: number;
                /**
                 * Format: date-time
                 * @description When its content last changed.
                 */
                updatedAt: string;
            }[];
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            id: string;
            keys: string[];
            namespace: string;
            /** @description How often it has been read. */
            views: number;
        };
        /** @description A store with its first key. */
        StoreCreate: {
            id?: string | null;
            key: string;
            /** @description Counts when there is no `ns`. */
            namespace?: string | null;
            /** @description Where to put the item. */
            ns?: string | null;
            password?: string | null;
            tags?: string | string[] | null;
            title?: string | null;
            /** @description Days, as 7, `7d` or `7 days`. */
            ttl?: number | string | null;
            /** @description Counts when there is neither of them. */
            ttl_days?: number | string | null;
            /** @description Counts when there is no `ttl`. */
            ttlDays?: number | string | null;
            /** @description Any JSON value, up to 1 MB as JSON text. */
            value: unknown;
        };
        /** @description A new store. */
        StoreCreated: {
            /** @enum {string} */
            access: "public" | "unlisted" | "protected";
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * @description What holds for the item: what was asked for, else what this server does by default.
             * @enum {string}
             */
            deliveryMode: "path" | "subdomain";
            /** @description Whether it is served as `deliveryMode` says. */
            deliveryModeMatched: boolean;
            /**
             * @description Where it is served: `subdomain` needs a server with a domain for items.
             * @enum {string}
             */
            effectiveDeliveryMode: "path" | "subdomain";
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            hasPassword: boolean;
            /** @description Grows with each change of `deliveryMode`. */
            hostingVersion: number;
            /**
             * Format: uri
             * @description The address of its own host, where it is served there and has been given one.
             */
            hostUrl: string | null;
            id: string;
            key: string;
            /**
             * Format: uri
             * @description What to share: the address; of a key, its own.
             */
            link: string;
            /**
             * Format: uri
             * @description The page where its owner manages it.
             */
            managementLink: string;
            namespace: string;
            /**
             * Format: uri
             * @description The item's address in the API.
             */
            ownerLink: string;
            /** @description Needed to change or delete the item. It cannot be recovered. */
            ownerToken: string;
            quarantine?: components["schemas"]["Quarantine"];
            /**
             * @description What was asked for; null: nothing.
             * @enum {string|null}
             */
            requestedDeliveryMode: "path" | "subdomain" | null;
            /**
             * Format: uri
             * @description The same by its short code.
             */
            shortUrl: string;
            /** @description Bytes of the content. */
            sizeBytes: number;
            tags: string[];
            /** @description What the item is called. */
            title: string;
            ttlDays: number;
            /**
             * Format: uri
             * @description The item's address.
             */
            url: string;
        };
        /** @description Stores of one owner, newest first. */
        StoreList: components["schemas"]["StoreSummary"][];
        /** @description A store in a list. */
        StoreSummary: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it will be deleted.
             */
            expiresAt: string;
            hasPassword: boolean;
            id: string;
            keyCount: number;
            /**
             * Format: uri
             * @description What to share: the address; of a key, its own.
             */
            link: string;
            namespace: string;
            quarantine?: components["schemas"]["Quarantine"];
            /**
             * Format: uri
             * @description The same by its short code.
             */
            shortUrl: string;
            tags: string[];
            /** @description What the item is called. */
            title: string;
            ttlDays: number;
            /**
             * Format: date-time
             * @description When its content last changed.
             */
            updatedAt: string;
            /**
             * Format: uri
             * @description The item's address.
             */
            url: string;
            /** @description How often it has been read. */
            views: number;
        };
        /** @description How an upload went. */
        UploadResult: {
            /**
             * @description And what was done.
             * @enum {string}
             */
            action: "created" | "created_missing_assets" | "updated" | "merged" | "created_warned" | "rejected";
            /**
             * @description In a word.
             * @enum {string}
             */
            code: "success" | "duplicate" | "warned" | "failed";
            /** @description What belongs to the reason. */
            extras?: {
                /** @description Whether the item that was there is yours. */
                isOwner?: boolean;
                /** @description The files that the page asks for, as it names them. */
                localAssetRefs?: string[];
                /** @description Addresses in the site that begin at the root of the host, where the site is not. */
                rootRefs?: string[];
                /** @description Files of the site that use storage of the browser, which hosted sites have none of. */
                storage?: string[];
            };
            /** @description Why it is no plain success, and what to do. */
            reason?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;

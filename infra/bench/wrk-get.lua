-- GETs one path after the other. Arguments: the paths.
local requests = {}
local n = 0

function init(args)
  for index = 1, #args do requests[index] = wrk.format("GET", args[index]) end
end

function request()
  n = n % #requests + 1
  return requests[n]
end

dofile((debug.getinfo(1, "S").source:match("^@(.*/)") or "./") .. "wrk-report.lua")

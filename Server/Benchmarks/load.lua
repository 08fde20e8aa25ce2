-- What wrk sends: of ten requests nine report sightings and one publishes, each from one of many sessions.
-- wrk's own arguments after -- are the file with sessions and the one with tokens, a line each.
local function lines(path)
    local all = {}
    for line in io.lines(path) do all[#all + 1] = line end
    return all
end

local sessions, tokens
local content = string.rep("QUJD", 64) -- 192 bytes

function init(arguments)
    math.randomseed(7)
    sessions, tokens = lines(arguments[1]), lines(arguments[2])
end

function request()
    local headers = { ["Authorization"] = "Bearer " .. sessions[math.random(#sessions)] }
    if math.random(10) == 1 then
        return wrk.format("POST", "/v1/publications", headers, '{"ttl_s":20,"content":"' .. content .. '"}')
    end
    local heard = {}
    for index = 1, 5 do heard[index] = '"' .. tokens[math.random(#tokens)] .. '"' end
    return wrk.format("POST", "/v1/sightings", headers, '{"heard":[' .. table.concat(heard, ",") .. "]}")
end
